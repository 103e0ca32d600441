package dev.sessiontools;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The answers of one streaming call, read as they are taken. It belongs to one thread; only {@link
 * #close} may come from another.
 *
 * @param <T> the kind of answer
 */
public final class ResponseStream<T> implements Iterator<T>, Iterable<T>, AutoCloseable {
    private final ClientCall<?, T> call;
    private final BlockingQueue<Arrival<T>> arrivals = new LinkedBlockingQueue<>();
    private Arrival<T> upcoming;

    private ResponseStream(ClientCall<?, T> call) {
        this.call = call;
    }

    static <Q, T> ResponseStream<T> open(ClientCall<Q, T> call, Q request) {
        ResponseStream<T> stream = new ResponseStream<>(call);
        call.start(stream.new Arriving(), new Metadata());
        call.sendMessage(request);
        call.halfClose();
        return stream;
    }

    /**
     * Waits for an answer or for the end.
     *
     * @return false at the end
     * @throws SessionToolsException when the call failed; {@code CANCELLED} when the stream was
     *     closed or the thread interrupted
     */
    @Override
    public boolean hasNext() {
        if (upcoming == null) {
            upcoming = arrival();
        }
        return upcoming.isMessage();
    }

    /**
     * Takes an answer, after waiting for it.
     *
     * @return the answer
     * @throws SessionToolsException as {@link #hasNext} does
     */
    @Override
    public T next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the stream is over");
        }
        T message = upcoming.message();
        upcoming = null;
        return message;
    }

    /**
     * Gives the stream itself, for a loop; it can be gone through once.
     *
     * @return this stream
     */
    @Override
    public Iterator<T> iterator() {
        return this;
    }

    /** Ends the call, unless it has ended. Whoever waits in another thread is told so. */
    @Override
    public void close() {
        call.cancel("the stream was closed", null);
    }

    private Arrival<T> arrival() {
        call.request(1); // one at a time: a slow reader is to slow the server down
        try {
            return arrivals.take();
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
            Status status = Status.CANCELLED.withDescription("the thread was interrupted");
            call.cancel(status.getDescription(), interruption);
            throw SessionToolsException.of(status.withCause(interruption));
        }
    }

    /** A message, or in the end a status. */
    private record Arrival<T>(T message, Status status, Metadata trailers) {
        boolean isMessage() {
            if (message == null && !status.isOk()) {
                throw SessionToolsException.of(status, trailers);
            }
            return message != null;
        }
    }

    private final class Arriving extends ClientCall.Listener<T> {
        @Override
        public void onMessage(T message) {
            arrivals.add(new Arrival<>(message, null, null));
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            arrivals.add(new Arrival<>(null, status, trailers));
        }
    }
}
