package dev.sessiontools;

import dev.sessiontools.v1.ErrorReason;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Why a call failed. Every method of the client throws its failures as this type; it is gRPC's own
 * exception too, so that code that knows only gRPC understands it.
 */
public final class SessionToolsException extends StatusRuntimeException {
    private static final long serialVersionUID = 1L;

    /** Not part of the serialized form, as gRPC's status and trailers cannot be either. */
    private final transient ErrorDetails details;

    private SessionToolsException(Status status, Metadata trailers) {
        super(status, trailers);
        this.details = ErrorDetails.of(trailers);
    }

    /**
     * Makes the failure of a generated stub an exception of this type: what a blocking stub throws,
     * what a future fails with, what a stream observer is told.
     *
     * @param failure an exception with a status of gRPC in it, at any depth; anything else has the
     *     code {@code UNKNOWN}
     * @return the failure, with its details read
     */
    public static SessionToolsException from(Throwable failure) {
        if (failure instanceof SessionToolsException typed) {
            return typed;
        }
        return of(Status.fromThrowable(failure), Status.trailersFromThrowable(failure));
    }

    /** A failure without details, as the client itself has them. */
    static SessionToolsException of(Status status) {
        return new SessionToolsException(status, null);
    }

    /** A failure as a call ended with it. */
    static SessionToolsException of(Status status, Metadata trailers) {
        return new SessionToolsException(told(status), trailers);
    }

    /**
     * A message that gRPC cannot send or read cancels the call, with the true status as the cause:
     * too large, or not to be decoded. Only a cancellation is to look like one.
     */
    private static Status told(Status status) {
        boolean isCancelled = status.getCode() == Status.Code.CANCELLED;
        return isCancelled && status.getCause() instanceof StatusRuntimeException problem
                ? problem.getStatus()
                : status;
    }

    /**
     * Tells the reason, or the code when there is none, and the description.
     *
     * @return a line for logs
     */
    @Override
    public String getMessage() {
        return getReason().isEmpty() ? super.getMessage() : getReason() + ": " + getDescription();
    }

    /**
     * The status code of gRPC.
     *
     * @return never {@code OK}
     */
    public Status.Code getCode() {
        return getStatus().getCode();
    }

    /**
     * The name of an {@link ErrorReason} without its prefix, such as {@code LEASE_LOST}.
     *
     * @return empty when the error is not the service's own, as when it cannot be reached
     * @see #hasReason
     */
    public String getReason() {
        return details.reason();
    }

    /**
     * A sentence for people.
     *
     * @return empty when there is none
     */
    public String getDescription() {
        String description = getStatus().getDescription();
        return description == null ? "" : description;
    }

    /**
     * What was refused, by name; the comments of {@link ErrorReason} tell the names.
     *
     * @return empty when there is nothing to tell
     */
    public Map<String, String> getMetadata() {
        return details.metadata();
    }

    /**
     * The wrong fields of the request.
     *
     * @return empty when the request was not the problem
     */
    public List<FieldProblem> getFields() {
        return details.fields();
    }

    /**
     * When to try again at the earliest.
     *
     * @return zero when the server did not say
     */
    public Duration getRetryAfter() {
        return details.retryAfter();
    }

    /**
     * Tells whether the call was refused for this reason.
     *
     * @param reason of the contract
     * @return whether it is this one
     */
    public boolean hasReason(ErrorReason reason) {
        return reason.name().equals("ERROR_REASON_" + getReason());
    }
}
