package dev.sessiontools;

import static dev.sessiontools.FakeTools.away;
import static dev.sessiontools.FakeTools.finishes;
import static dev.sessiontools.FakeTools.hangs;
import static dev.sessiontools.Serving.request;
import static dev.sessiontools.Serving.told;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Context;
import io.grpc.Status;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The caller ends a wait. */
@Timeout(30)
class EndingTest {
    private final CountDownLatch left = new CountDownLatch(1);
    private final CountDownLatch isPausing = new CountDownLatch(1);

    /** Pauses that last until the caller wants no more. */
    private final Timing endless =
            new Timing(
                    System::nanoTime,
                    (pause, unless) -> {
                        isPausing.countDown();
                        unless.await();
                    },
                    () -> 0);

    @Test
    void leavingTheLoopEndsTheStream() throws InterruptedException {
        try (var serving = new Serving(new FakeTools(hangs(left)))) {

            try (WaitRun wait = serving.client().waitRun(request())) {
                wait.next();
            }

            left.await();
        }
    }

    @Test
    void closingFromAnotherThreadEndsAWaitForAnEvent() throws InterruptedException {
        try (var serving = new Serving(new FakeTools(hangs(left)))) {
            WaitRun wait = serving.client().waitRun(request());
            wait.next();
            var failure = failureOf(wait, thread -> wait.close());

            assertEquals(Status.Code.CANCELLED, failure.getCode());
            assertEquals("the wait was closed", failure.getDescription());
            left.await();
        }
    }

    @Test
    void interruptingTheThreadEndsAWaitForAnEvent() throws InterruptedException {
        try (var serving = new Serving(new FakeTools(hangs(left)))) {
            WaitRun wait = serving.client().waitRun(request());
            wait.next();

            var failure = failureOf(wait, Thread::interrupt);

            assertEquals(Status.Code.CANCELLED, failure.getCode());
            assertEquals("the thread was interrupted", failure.getDescription());
            left.await();
        }
    }

    @Test
    void cancellingTheContextEndsAWaitForAnEvent() throws Exception {
        try (var serving = new Serving(new FakeTools(hangs(left)))) {
            var context = Context.current().withCancellation();
            WaitRun wait = context.call(() -> serving.client().waitRun(request()));
            wait.next();

            var failure = failureOf(wait, thread -> context.cancel(null));

            assertEquals(Status.Code.CANCELLED, failure.getCode());
            assertEquals("the context was cancelled", failure.getDescription());
        }
    }

    @Test
    void closingEndsAPause() throws InterruptedException {
        try (var serving = new Serving(new FakeTools(away()))) {
            WaitRun wait = serving.client(endless).waitRun(request());

            var failure = failureOf(wait, whilePausing(wait::close));

            assertEquals("the wait was closed", failure.getDescription());
        }
    }

    @Test
    void interruptingEndsAPause() throws InterruptedException {
        try (var serving = new Serving(new FakeTools(away()))) {
            WaitRun wait = serving.client(endless).waitRun(request());

            var failure = failureOf(wait, thread -> whilePausing(thread::interrupt).accept(thread));

            assertEquals("the thread was interrupted", failure.getDescription());
        }
    }

    @Test
    void cancellingTheContextIsACancellationWhateverItsCause() throws Exception {
        try (var serving = new Serving(new FakeTools(hangs(left)))) {
            var context = Context.current().withCancellation();
            WaitRun wait = context.call(() -> serving.client().waitRun(request()));
            context.cancel(Status.NOT_FOUND.asRuntimeException());

            var failure = assertThrows(SessionToolsException.class, wait::hasNext);

            assertEquals(Status.Code.CANCELLED, failure.getCode());
        }
    }

    @Test
    void cancellingTheContextEndsAPause() throws Exception {
        try (var serving = new Serving(new FakeTools(away()))) {
            var context = Context.current().withCancellation();
            WaitRun wait = context.call(() -> serving.client(endless).waitRun(request()));

            var failure = failureOf(wait, whilePausing(() -> context.cancel(null)));

            assertEquals("the context was cancelled", failure.getDescription());
        }
    }

    @Test
    void closingTheClientEndsAPause() throws InterruptedException {
        try (var serving = new Serving(new FakeTools(away()))) {
            SessionTools client = serving.client(endless);
            WaitRun wait = client.actingAs("main").waitRun(request());

            var failure = failureOf(wait, whilePausing(client::close));

            assertEquals(Status.Code.CANCELLED, failure.getCode());
        }
    }

    @Test
    void aChannelThatIsShutDownIsNotTriedForEver() {
        try (var serving = new Serving(new FakeTools(finishes("0")))) {
            serving.channel.shutdownNow();

            var failure =
                    assertThrows(
                            SessionToolsException.class,
                            () -> told(SessionTools.over(serving.channel), request()));

            assertEquals(Status.Code.UNAVAILABLE, failure.getCode());
        }
    }

    @Test
    void theCallersDeadlineEndsAWaitOnAServerThatIsAway() {
        try (var serving = new Serving(new FakeTools(away()))) {
            var client = serving.client(Timing.REAL).withDeadlineAfter(Duration.ofMillis(50));

            var failure = assertThrows(SessionToolsException.class, () -> told(client, request()));

            assertEquals(Status.Code.DEADLINE_EXCEEDED, failure.getCode());
        }
    }

    @Test
    void theCallersDeadlineEndsAWaitForAnEvent() {
        try (var serving = new Serving(new FakeTools(hangs(left)))) {
            var client = serving.client().withDeadlineAfter(Duration.ofMillis(50));

            var failure = assertThrows(SessionToolsException.class, () -> told(client, request()));

            assertEquals(Status.Code.DEADLINE_EXCEEDED, failure.getCode());
        }
    }

    @Test
    void theDeadlineOfTheContextEndsAWait() throws Exception {
        var clock = Executors.newSingleThreadScheduledExecutor();
        try (var serving = new Serving(new FakeTools(away()));
                var context =
                        Context.current().withDeadlineAfter(50, TimeUnit.MILLISECONDS, clock)) {
            SessionTools client = serving.client(Timing.REAL);

            var failure =
                    assertThrows(
                            SessionToolsException.class,
                            () -> context.call(() -> told(client, request())));

            assertEquals(Status.Code.DEADLINE_EXCEEDED, failure.getCode());
        } finally {
            clock.shutdownNow();
        }
    }

    @Test
    void aWaitThatWasClosedBeforeItBeganAsksForNothing() {
        var fake = new FakeTools(finishes("0"));
        try (var serving = new Serving(fake)) {
            WaitRun wait = serving.client().waitRun(request());
            wait.close();

            var failure = assertThrows(SessionToolsException.class, wait::hasNext);

            assertEquals(Status.Code.CANCELLED, failure.getCode());
            assertTrue(fake.requests.isEmpty());
        }
    }

    private Consumer<Thread> whilePausing(Runnable end) {
        return thread -> {
            awaitPause();
            end.run();
        };
    }

    private void awaitPause() {
        try {
            isPausing.await();
        } catch (InterruptedException interruption) {
            throw new IllegalStateException(interruption);
        }
    }

    /** What a thread is told that waits for the next event while this is done to it. */
    private static SessionToolsException failureOf(WaitRun wait, Consumer<Thread> end)
            throws InterruptedException {
        var failure = new CompletableFuture<SessionToolsException>();
        Thread thread =
                new Thread(
                        () ->
                                failure.complete(
                                        assertThrows(SessionToolsException.class, wait::hasNext)));
        thread.start();
        end.accept(thread);
        thread.join();
        return failure.getNow(null);
    }
}
