package dev.sessiontools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

class PausesTest {
    private static final SessionToolsException FAILURE =
            SessionToolsException.of(Status.UNAVAILABLE);

    @Test
    void pausesDoubleUpToABound() {
        List<Long> bounds =
                IntStream.of(0, 1, 5, 6, 1000)
                        .mapToObj(each -> Pauses.bound(each).toMillis())
                        .toList();

        assertEquals(List.of(200L, 400L, 6400L, 10_000L, 10_000L), bounds);
    }

    @Test
    void pausesAreAnyPartOfTheirBound() {
        assertEquals(Duration.ZERO, new Pauses(() -> 0).after(FAILURE));
        assertTrue(
                new Pauses(() -> Math.nextDown(1.0)).after(FAILURE).compareTo(Pauses.SHORTEST) < 0);
    }
}
