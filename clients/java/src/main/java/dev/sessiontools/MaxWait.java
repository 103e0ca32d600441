package dev.sessiontools;

import dev.sessiontools.v1.WaitRunRequest;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Spends the {@code max_wait_seconds} of a request over all the streams that it takes. */
final class MaxWait {
    private final LongSupplier nanoTime;
    private final boolean isSet;
    private final long end;

    /** Counts from now. */
    MaxWait(WaitRunRequest request, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.isSet = request.hasMaxWaitSeconds();
        long seconds = Integer.toUnsignedLong(request.getMaxWaitSeconds());
        this.end = nanoTime.getAsLong() + TimeUnit.SECONDS.toNanos(seconds);
    }

    /** Asks for what is left. At 0 the server tells what there is and ends. */
    void shorten(WaitRunRequest.Builder request) {
        if (isSet) {
            double seconds = (end - nanoTime.getAsLong()) / 1e9;
            request.setMaxWaitSeconds((int) Math.max(Math.round(seconds), 0)); // still unsigned
        }
    }
}
