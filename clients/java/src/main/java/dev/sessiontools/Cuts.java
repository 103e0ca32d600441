package dev.sessiontools;

import com.google.protobuf.InvalidProtocolBufferException;

import java.nio.channels.ClosedChannelException;

/** Tells what cuts a stream, to be resumed, from what refuses it. */
final class Cuts {
    private Cuts() {}

    /**
     * The caller's own deadline and cancellation look like those of a server that went away;
     * whoever asks has looked at them before.
     */
    static boolean isCut(SessionToolsException failure) {
        return switch (failure.getCode()) {
            case UNAVAILABLE, DEADLINE_EXCEEDED -> true;
            case CANCELLED -> failure.getCause() == null; // else by a fault in this program
            case RESOURCE_EXHAUSTED -> !failure.getRetryAfter().isZero();
            case INTERNAL -> isReset(failure);
            case UNKNOWN -> isClosedChannel(failure);
            default -> false;
        };
    }

    /** A fault of the server has a reason; a message that cannot be decoded would come again. */
    private static boolean isReset(SessionToolsException internal) {
        return internal.getReason().isEmpty()
                && !(internal.getCause() instanceof InvalidProtocolBufferException);
    }

    /** Netty forgets now and then why a connection was closed, and gRPC has no code for that. */
    private static boolean isClosedChannel(SessionToolsException unknown) {
        return unknown.getCause() instanceof ClosedChannelException;
    }
}
