package dev.sessiontools;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * The lengths of pauses between attempts: random, so that the clients of a server that comes back
 * do not all come at once, and longer with every failure.
 */
final class Pauses {
    static final Duration SHORTEST = Duration.ofMillis(200);
    static final Duration LONGEST = Duration.ofSeconds(10);

    private final DoubleSupplier random;
    private int failures;

    Pauses(DoubleSupplier random) {
        this.random = random;
    }

    /** The pause before the attempt that follows this failure. */
    Duration after(SessionToolsException failure) {
        double nanos = random.getAsDouble() * bound(failures).toNanos();
        failures++;
        return failure.getRetryAfter().plusNanos((long) nanos);
    }

    /** For an attempt that brought something. */
    void reset() {
        failures = 0;
    }

    static Duration bound(int failures) {
        if (failures >= 6) { // 0.2 s doubled six times is above the maximum
            return LONGEST;
        }
        return SHORTEST.multipliedBy(1L << failures);
    }
}
