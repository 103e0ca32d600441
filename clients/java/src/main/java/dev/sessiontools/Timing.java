package dev.sessiontools;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/** Clock, sleep and chance, handed in so that tests need none of them. */
record Timing(LongSupplier nanoTime, Sleep sleep, DoubleSupplier random) {
    static final Timing REAL =
            new Timing(
                    System::nanoTime,
                    (pause, unless) -> unless.await(pause.toNanos(), TimeUnit.NANOSECONDS),
                    () -> ThreadLocalRandom.current().nextDouble());

    /** Lets time pass. */
    interface Sleep {
        /** Returns after the pause, or as soon as the latch opens. */
        void sleep(Duration pause, CountDownLatch unless) throws InterruptedException;
    }
}
