package dev.sessiontools;

import dev.sessiontools.v1.WaitRunRequest;
import dev.sessiontools.v1.WaitRunResponse;

import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * Follows a run: one snapshot, every event in order without gap or repeat, heartbeats, and last
 * {@code ended}.
 *
 * <pre>{@code
 * try (WaitRun run = client.waitRun(WaitRunRequest.newBuilder().setRunId(id).build())) {
 *     for (WaitRunResponse event : run) {
 *         System.out.println(event);
 *     }
 * }
 * }</pre>
 *
 * <p>When the connection is cut, or the server ends the stream before the run is over, it opens
 * another one from the last cursor, as often as it has to. What the caller sees is one stream: the
 * snapshots and ends in between are left out. It goes on until the run is over, {@code
 * max_wait_seconds} have passed, the server refuses, or the caller wants no more: by {@link
 * #close}, by interrupting the thread, by the deadline of the client, or by the {@link
 * io.grpc.Context} that the wait was made in.
 *
 * <p>It belongs to one thread; only {@link #close} may come from another.
 */
public final class WaitRun
        implements Iterator<WaitRunResponse>, Iterable<WaitRunResponse>, AutoCloseable {
    private final Connection connection;
    private final Following following;
    private WaitRunResponse upcoming;
    private SessionToolsException failure;

    WaitRun(Connection connection, Calls calls, WaitRunRequest request) {
        this.connection = connection;
        this.following = new Following(connection, calls, request);
    }

    /**
     * Waits for the next event, over as many streams as it takes.
     *
     * @return false when {@code ended} was the one before
     * @throws SessionToolsException when the server refuses; {@code CANCELLED} or {@code
     *     DEADLINE_EXCEEDED} when the caller wants no more
     */
    @Override
    public boolean hasNext() {
        if (failure != null) {
            throw failure;
        }
        if (upcoming == null) {
            upcoming = awaited();
        }
        return upcoming != null;
    }

    /**
     * Takes the next event, after waiting for it.
     *
     * @return the event
     * @throws SessionToolsException as {@link #hasNext} does
     */
    @Override
    public WaitRunResponse next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the wait is over");
        }
        WaitRunResponse event = upcoming;
        upcoming = null;
        return event;
    }

    /**
     * Gives the wait itself, for a loop; it can be gone through once.
     *
     * @return this wait
     */
    @Override
    public Iterator<WaitRunResponse> iterator() {
        return this;
    }

    /** Ends the wait, unless it is over. Whoever waits in another thread is told so. */
    @Override
    public void close() {
        connection.forget(this);
        following.close();
    }

    private WaitRunResponse awaited() {
        connection.remember(this);
        try {
            WaitRunResponse event = following.next();
            if (event == null) {
                connection.forget(this);
            }
            return event;
        } catch (SessionToolsException problem) {
            close();
            failure = problem;
            throw problem;
        }
    }
}
