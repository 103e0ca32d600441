package dev.sessiontools;

import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Whether the caller of a wait still wants more of it: it has not closed the wait, its thread is
 * not interrupted, and its {@link Context} and deadline have not ended.
 */
final class Patience {
    private final Context context = Context.current();
    private final Deadline deadline;
    private final Timing.Sleep sleep;
    private final CountDownLatch isEnough = new CountDownLatch(1);
    private volatile boolean isClosed;

    /**
     * @param deadline null for none beside that of the context
     */
    Patience(Deadline deadline, Timing.Sleep sleep) {
        this.deadline = earlier(deadline, context.getDeadline());
        this.sleep = sleep;
    }

    private static Deadline earlier(Deadline one, Deadline other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.minimum(other);
    }

    /** The context that the wait was made in. */
    Context context() {
        return context;
    }

    /** The caller wants no more. */
    void close() {
        isClosed = true;
        isEnough.countDown();
    }

    /** Throws what the caller is told when it wants no more, whatever else went wrong. */
    void check() {
        Status end = end();
        if (!end.isOk()) {
            throw SessionToolsException.of(end);
        }
    }

    private Status end() {
        if (isClosed) {
            return Status.CANCELLED.withDescription("the wait was closed");
        }
        if (Thread.currentThread().isInterrupted()) {
            return Status.CANCELLED.withDescription("the thread was interrupted");
        }
        if (deadline != null && deadline.isExpired()) {
            return Status.DEADLINE_EXCEEDED.withDescription("the deadline of the wait has passed");
        }
        return context.isCancelled() ? statusOf(context.cancellationCause()) : Status.OK;
    }

    private static Status statusOf(Throwable cancellation) {
        if (cancellation instanceof TimeoutException) {
            return Status.DEADLINE_EXCEEDED.withDescription("the deadline of the context passed");
        }
        return Status.CANCELLED
                .withDescription("the context was cancelled")
                .withCause(cancellation);
    }

    /** Lets time pass, and throws as soon as the caller wants no more. */
    void pause(Duration pause) {
        Context.CancellationListener listener = cancelled -> isEnough.countDown();
        context.addListener(listener, Runnable::run);
        try {
            sleep.sleep(withinDeadline(pause), isEnough);
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
        } finally {
            context.removeListener(listener);
        }
        check();
    }

    private Duration withinDeadline(Duration pause) {
        if (deadline == null) {
            return pause;
        }
        Duration left = Duration.ofNanos(Math.max(deadline.timeRemaining(TimeUnit.NANOSECONDS), 0));
        return pause.compareTo(left) < 0 ? pause : left;
    }
}
