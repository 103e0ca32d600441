package dev.sessiontools;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Notes pauses instead of making them; its clock goes on by the pauses alone. */
final class Slept {
    /** What a test takes for chance: the same part of the bound in every pause. */
    static final double CHANCE = 0.5;

    final List<Duration> pauses = new ArrayList<>();

    Timing timing() {
        return new Timing(this::nanoTime, (pause, unless) -> pauses.add(pause), () -> CHANCE);
    }

    private long nanoTime() {
        return pauses.stream().mapToLong(Duration::toNanos).sum();
    }
}
