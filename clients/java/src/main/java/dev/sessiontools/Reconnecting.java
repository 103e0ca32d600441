package dev.sessiontools;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Keeps the pauses between attempts to connect short. gRPC would let two minutes pass and has no
 * setting for it in Java; calls that are tried again are not to wait for that. So this asks it to
 * connect at once, as long as it is in one of its pauses.
 */
final class Reconnecting {
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final double GROWTH = 1.6;
    private static final double JITTER = 0.2;

    private final ManagedChannel channel;
    private final Later later;
    private final AtomicInteger outages = new AtomicInteger();

    Reconnecting(ManagedChannel channel, Later later) {
        this.channel = channel;
        this.later = later;
    }

    /** Runs things after a pause. */
    interface Later {
        /** As the platform's own timer does, which holds no program up. */
        Later REAL =
                (pause, task) ->
                        CompletableFuture.delayedExecutor(pause.toNanos(), TimeUnit.NANOSECONDS)
                                .execute(task);

        void run(Duration pause, Runnable task);
    }

    /** Watches the channel until it is shut down. */
    void watch() {
        ConnectivityState state = channel.getState(false);
        if (state == ConnectivityState.SHUTDOWN) {
            return;
        }
        channel.notifyWhenStateChanged(state, this::watch);
        if (state == ConnectivityState.TRANSIENT_FAILURE) {
            hurry(outages.incrementAndGet(), Pauses.SHORTEST);
        }
    }

    private void hurry(int outage, Duration pause) {
        later.run(
                jittered(pause),
                () -> {
                    if (outage == outages.get() && isFailing()) {
                        channel.resetConnectBackoff();
                        hurry(outage, longer(pause));
                    }
                });
    }

    private boolean isFailing() {
        return channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE;
    }

    private static Duration jittered(Duration pause) {
        double part = 1 - JITTER * ThreadLocalRandom.current().nextDouble();
        return Duration.ofNanos((long) (pause.toNanos() * part));
    }

    private static Duration longer(Duration pause) {
        Duration next = Duration.ofNanos((long) (pause.toNanos() * GROWTH));
        return next.compareTo(LONGEST) < 0 ? next : LONGEST;
    }
}
