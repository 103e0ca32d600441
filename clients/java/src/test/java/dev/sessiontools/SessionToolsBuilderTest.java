package dev.sessiontools;

import static dev.sessiontools.FakeTools.hangs;
import static dev.sessiontools.Serving.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sessiontools.v1.SessionToolsServiceGrpc.SessionToolsServiceImplBase;
import dev.sessiontools.v1.SessionsHistoryRequest;
import dev.sessiontools.v1.SessionsHistoryResponse;
import dev.sessiontools.v1.SessionsSendRequest;

import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;

@Timeout(60)
class SessionToolsBuilderTest {
    private static final int MEBIBYTE = 1 << 20;

    @Test
    void aCallThatIsRepeatedKeepsItsRequestId() throws IOException { // R8
        var restarting = Status.UNAVAILABLE.asRuntimeException();
        var fake = new FakeSends(restarting);
        try (var server = new Loopback(fake);
                var client = server.client().build()) {

            client.sessionsSend(SessionsSendRequest.getDefaultInstance());

            assertEquals(2, fake.ids().size());
            assertEquals(fake.ids().get(0), fake.ids().get(1));
        }
    }

    @Test
    void aCallIsTriedFiveTimesAtMost() throws IOException {
        var failures = Collections.nCopies(9, Status.UNAVAILABLE.asRuntimeException());
        var fake = new FakeSends(failures.toArray(StatusRuntimeException[]::new));
        try (var server = new Loopback(fake);
                var client = server.client().build()) {

            var failure =
                    assertThrows(
                            SessionToolsException.class,
                            () -> client.sessionsSend(SessionsSendRequest.getDefaultInstance()));

            assertEquals(Status.Code.UNAVAILABLE, failure.getCode());
            assertEquals(5, fake.ids().size());
        }
    }

    @Test
    void answersMayBeLargeAndRequestsMayNot() throws IOException {
        var fake =
                new SessionToolsServiceImplBase() {
                    @Override
                    public void sessionsHistory(
                            SessionsHistoryRequest request,
                            StreamObserver<SessionsHistoryResponse> answer) {
                        String page = "x".repeat(8 * MEBIBYTE);
                        answer.onNext(
                                SessionsHistoryResponse.newBuilder()
                                        .setNextPageToken(page)
                                        .build());
                        answer.onCompleted();
                    }
                };
        var tooLarge =
                SessionsSendRequest.newBuilder().setMessage("x".repeat(5 * MEBIBYTE)).build();
        try (var server = new Loopback(fake);
                var client = server.client().build()) {

            var page = client.sessionsHistory(SessionsHistoryRequest.getDefaultInstance());
            var failure =
                    assertThrows(SessionToolsException.class, () -> client.sessionsSend(tooLarge));

            assertEquals(8 * MEBIBYTE, page.getNextPageToken().length());
            assertEquals(Status.Code.RESOURCE_EXHAUSTED, failure.getCode());
        }
    }

    @Test
    void settingsOfGrpcsOwnWin() throws IOException {
        try (var server = new Loopback(new FakeSends());
                var client =
                        server.client().channelSettings(s -> s.maxInboundMessageSize(1)).build()) {

            var failure =
                    assertThrows(
                            SessionToolsException.class,
                            () -> client.sessionsSend(SessionsSendRequest.getDefaultInstance()));

            assertEquals(Status.Code.RESOURCE_EXHAUSTED, failure.getCode());
        }
    }

    @Test
    void closingTheClientEndsItsCalls() throws Exception {
        var left = new CountDownLatch(1);
        try (var server = new Loopback(new FakeTools(hangs(left)))) {
            SessionTools client = server.client().token("t").actingSession("main").build();
            WaitRun wait = client.waitRun(request());
            wait.next();

            client.close();

            var failure = assertThrows(SessionToolsException.class, wait::hasNext);
            assertEquals(Status.Code.CANCELLED, failure.getCode());
            left.await();
        }
    }

    @Test
    void withoutPlaintextTheServerHasToSpeakTls() throws IOException {
        try (var server = new Loopback(new FakeSends());
                var client =
                        SessionTools.builder(server.address())
                                .channelSettings(ManagedChannelBuilder::disableRetry)
                                .build()) {

            var failure =
                    assertThrows(
                            SessionToolsException.class,
                            () -> client.sessionsSend(SessionsSendRequest.getDefaultInstance()));

            assertEquals(Status.Code.UNAVAILABLE, failure.getCode());
        }
    }

    @Test
    void aTargetThatMakesNoSenseIsRefusedAtOnce() {
        var builder = SessionTools.builder("nonsense://a/b c").plaintext();

        assertThrows(IllegalArgumentException.class, builder::build);
    }
}
