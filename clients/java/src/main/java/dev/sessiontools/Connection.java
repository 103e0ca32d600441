package dev.sessiontools;

import io.grpc.Channel;
import io.grpc.ManagedChannel;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What the clients of one connection share. */
final class Connection {
    private final Channel channel;
    private final Timing timing;
    private final Set<WaitRun> waits = ConcurrentHashMap.newKeySet();

    Connection(Channel channel, Timing timing) {
        this.channel = channel;
        this.timing = timing;
    }

    Channel channel() {
        return channel;
    }

    Timing timing() {
        return timing;
    }

    /** Ends every call. Waits are told before, since to them the end of a connection is none. */
    void close() {
        waits.forEach(WaitRun::close);
        if (channel instanceof ManagedChannel managed) {
            managed.shutdownNow();
        }
    }

    /** Tells whether nothing will ever come over it again. */
    boolean isShutdown() {
        return channel instanceof ManagedChannel managed && managed.isShutdown();
    }

    void remember(WaitRun wait) {
        waits.add(wait);
    }

    void forget(WaitRun wait) {
        waits.remove(wait);
    }
}
