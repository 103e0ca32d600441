package dev.sessiontools;

import static dev.sessiontools.FakeTools.away;
import static dev.sessiontools.FakeTools.delta;
import static dev.sessiontools.FakeTools.ended;
import static dev.sessiontools.FakeTools.fails;
import static dev.sessiontools.FakeTools.finishes;
import static dev.sessiontools.FakeTools.sends;
import static dev.sessiontools.FakeTools.snapshot;
import static dev.sessiontools.Serving.request;
import static dev.sessiontools.Serving.told;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sessiontools.v1.EndReason;
import dev.sessiontools.v1.WaitEnded;
import dev.sessiontools.v1.WaitRunRequest;
import dev.sessiontools.v1.WaitRunResponse;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;

class WaitRunTest {
    private static final StatusRuntimeException CUT = Status.UNAVAILABLE.asRuntimeException();

    private final Slept slept = new Slept();

    @Test
    void aCutWaitResumesAfterTheLastCursorAndLooksLikeOneStream() { // W1, W2
        var fake =
                new FakeTools(
                        fails(CUT, snapshot("0"), delta("1"), delta("2")),
                        fails(CUT, snapshot("2")),
                        sends(
                                snapshot("2"),
                                delta("3"),
                                ended("4", EndReason.END_REASON_RUN_TERMINAL)));
        try (var serving = new Serving(fake)) {

            List<String> cursors = told(serving.client(), request());

            assertEquals(List.of("0", "1", "2", "3", "4"), cursors);
            assertEquals(List.of("", "2", "2"), fake.cursors());
        }
    }

    @Test
    void aWaitBeginsAtTheCallersCursorAndAsksForAllElseAgain() {
        var fake = new FakeTools(sends(snapshot("7"), delta("8")), finishes("8"));
        var request = request().toBuilder().setCursor("7").setIncludeDeltas(true).build();
        try (var serving = new Serving(fake)) {

            told(serving.client(), request);

            assertEquals(
                    List.of(request, request.toBuilder().setCursor("8").build()), fake.requests);
        }
    }

    @Test
    void endsOfTheStreamThatAreNotTheEndOfTheWaitAreNotTold() { // W6
        var fake =
                new FakeTools(
                        sends(
                                snapshot("0"),
                                delta("1"),
                                ended("1", EndReason.END_REASON_STREAM_AGE)),
                        sends(snapshot("1"), ended("1", EndReason.END_REASON_DRAINING)),
                        sends(snapshot("1"), delta("2"), ended("2", EndReason.END_REASON_DEADLINE)),
                        sends(snapshot("2"), endedForALaterReason("2")),
                        sends(snapshot("2"), ended("3", EndReason.END_REASON_SETTLED)));
        try (var serving = new Serving(fake)) {

            List<String> cursors = told(serving.client(), request());

            assertEquals(List.of("0", "1", "2", "3"), cursors);
            assertEquals(List.of("", "1", "1", "2", "2"), fake.cursors());
        }
    }

    private static WaitRunResponse endedForALaterReason(String cursor) {
        return WaitRunResponse.newBuilder()
                .setCursor(cursor)
                .setEnded(WaitEnded.newBuilder().setReasonValue(99))
                .build();
    }

    @Test
    void anEventOfALaterContractIsPassedOn() {
        var unknown = WaitRunResponse.newBuilder().setCursor("1").build();
        try (var serving =
                new Serving(new FakeTools(sends(snapshot("0"), unknown), finishes("2")))) {

            assertEquals(List.of("0", "1", "2"), told(serving.client(), request()));
        }
    }

    @Test
    void theEndOfMaxWaitEndsTheWait() { // W6
        var fake = new FakeTools(sends(snapshot("0"), ended("0", EndReason.END_REASON_MAX_WAIT)));
        try (var serving = new Serving(fake)) {
            var request = request().toBuilder().setMaxWaitSeconds(9).build();

            assertEquals(List.of("0", "0"), told(serving.client(), request));
            assertEquals(List.of(request), fake.requests);
        }
    }

    @Test
    void maxWaitIsSpentOverAllStreams() {
        var later = Refusals.exhausted(Duration.ofSeconds(4));
        var fake = new FakeTools(fails(later), fails(later), fails(later), finishes("0"));
        try (var serving = new Serving(fake)) {

            told(
                    serving.client(slept.timing()),
                    request().toBuilder().setMaxWaitSeconds(10).build());

            assertEquals( // pauses of 4.1, 4.2 and 4.4 s
                    List.of(10, 6, 2, 0),
                    fake.requests.stream().map(WaitRunRequest::getMaxWaitSeconds).toList());
        }
    }

    @Test
    void aWaitWithoutMaxWaitAsksForNone() {
        var fake = new FakeTools(away(), finishes("0"));
        try (var serving = new Serving(fake)) {

            told(serving.client(), request());

            assertFalse(fake.requests.get(1).hasMaxWaitSeconds());
        }
    }

    @Test
    void pausesGrowUntilThereIsNews() {
        var silent = sends(snapshot("0"));
        var fake =
                new FakeTools(
                        silent, silent, silent, sends(snapshot("0"), delta("1")), finishes("1"));
        try (var serving = new Serving(fake)) {

            told(serving.client(slept.timing()), request());

            assertEquals(
                    List.of(100, 200, 400, 100), // halves of the bounds
                    slept.pauses.stream().map(pause -> (int) pause.toMillis()).toList());
        }
    }

    @Test
    void aRetryInfoIsAddedToThePause() { // W10
        var later = Refusals.exhausted(Duration.ofSeconds(30));
        try (var serving = new Serving(new FakeTools(fails(later), finishes("0")))) {

            told(serving.client(slept.timing()), request());

            assertEquals(List.of(Duration.ofMillis(30_100)), slept.pauses);
        }
    }

    @Test
    void aRefusalIsToldAgainWhenAskedAgain() {
        var refusal = Status.NOT_FOUND.asRuntimeException();
        var fake = new FakeTools(fails(refusal), finishes("0"));
        try (var serving = new Serving(fake)) {
            WaitRun wait = serving.client().waitRun(request());

            var first = assertThrows(SessionToolsException.class, wait::hasNext);
            var second = assertThrows(SessionToolsException.class, wait::next);

            assertEquals(Status.Code.NOT_FOUND, first.getCode());
            assertEquals(first, second);
            assertEquals(1, fake.requests.size());
        }
    }

    @Test
    void anOverWaitHasNothingMore() {
        try (var serving = new Serving(new FakeTools(finishes("0")))) {
            WaitRun wait = serving.client().waitRun(request());
            wait.forEach(event -> {});

            assertFalse(wait.hasNext());
            assertThrows(NoSuchElementException.class, wait::next);
        }
    }
}
