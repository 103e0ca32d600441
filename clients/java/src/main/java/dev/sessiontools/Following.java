package dev.sessiontools;

import dev.sessiontools.v1.EndReason;
import dev.sessiontools.v1.SessionToolsServiceGrpc;
import dev.sessiontools.v1.WaitRunRequest;
import dev.sessiontools.v1.WaitRunResponse;

import io.grpc.Context;
import io.grpc.Status;

/** One wait for a run, over as many streams as it takes. */
final class Following {
    private final Connection connection;
    private final Calls calls;
    private final WaitRunRequest request;
    private final Patience patience;
    private final Pauses pauses;

    private String cursor;
    private MaxWait maxWait;
    private volatile ResponseStream<WaitRunResponse> stream; // null between two; set by one thread
    private boolean hasBegun;
    private boolean isOver;

    Following(Connection connection, Calls calls, WaitRunRequest request) {
        this.connection = connection;
        this.calls = calls;
        this.request = request;
        this.cursor = request.getCursor();
        this.patience = new Patience(calls.options().getDeadline(), connection.timing().sleep());
        this.pauses = new Pauses(connection.timing().random());
    }

    /** The next event to tell; null when the end has been told. */
    WaitRunResponse next() {
        while (!isOver) {
            patience.check();
            try {
                WaitRunResponse message = received();
                if (isTold(message)) {
                    return message;
                }
            } catch (SessionToolsException problem) {
                resumeAfter(problem);
            }
        }
        return null;
    }

    /** Ends the wait, from any thread. */
    void close() {
        patience.close();
        ResponseStream<WaitRunResponse> current = stream;
        if (current != null) {
            current.close();
        }
    }

    private WaitRunResponse received() {
        if (stream == null) {
            open();
        }
        if (!stream.hasNext()) {
            throw cut();
        }
        WaitRunResponse message = stream.next();
        cursor = message.getCursor();
        return message;
    }

    private void open() {
        if (maxWait == null) {
            maxWait = new MaxWait(request, connection.timing().nanoTime());
        }
        WaitRunRequest.Builder remaining = request.toBuilder().setCursor(cursor);
        maxWait.shorten(remaining);
        Context previous = patience.context().attach();
        try {
            stream = calls.stream(SessionToolsServiceGrpc.getWaitRunMethod(), remaining.build());
        } finally {
            patience.context().detach(previous);
        }
        patience.check(); // closed meanwhile, when there was no stream yet that could be ended
    }

    private boolean isTold(WaitRunResponse message) {
        switch (message.getEventCase()) {
            case SNAPSHOT:
                boolean isFirst = !hasBegun;
                hasBegun = true;
                return isFirst;
            case ENDED:
                if (!isLast(message.getEnded().getReason())) {
                    throw cut();
                }
                isOver = true;
                endStream();
                return true;
            default: // news, which a server that fails again and again has not
                pauses.reset();
                return true;
        }
    }

    private static boolean isLast(EndReason reason) {
        return switch (reason) {
            case END_REASON_RUN_TERMINAL, END_REASON_SETTLED, END_REASON_MAX_WAIT -> true;
            default -> false; // the stream's age, a drain, a deadline, or what a later server has
        };
    }

    /** A stream that stopped, properly or not, before the wait was over. */
    private static SessionToolsException cut() {
        return SessionToolsException.of(
                Status.UNAVAILABLE.withDescription("the stream ended before the wait was over"));
    }

    private void resumeAfter(SessionToolsException problem) {
        endStream();
        patience.check();
        if (!Cuts.isCut(problem) || connection.isShutdown()) {
            throw problem;
        }
        patience.pause(pauses.after(problem));
    }

    private void endStream() {
        if (stream != null) {
            stream.close();
            stream = null;
        }
    }
}
