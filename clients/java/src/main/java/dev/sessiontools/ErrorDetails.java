package dev.sessiontools;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;

import io.grpc.Metadata;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a server says about an error beside its code and message. */
record ErrorDetails(
        String reason,
        Map<String, String> metadata,
        List<FieldProblem> fields,
        Duration retryAfter) {

    private static final String DOMAIN = "sessiontools";
    private static final String REASON_PREFIX = "ERROR_REASON_";
    private static final Metadata.Key<byte[]> KEY =
            Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

    /** Reads the details out of the trailers of a call; those that are not there are empty. */
    static ErrorDetails of(Metadata trailers) {
        List<Any> details = status(trailers).getDetailsList();
        ErrorInfo info =
                find(details, ErrorInfo.class)
                        .filter(each -> each.getDomain().equals(DOMAIN))
                        .orElse(ErrorInfo.getDefaultInstance());
        return new ErrorDetails(
                withoutPrefix(info.getReason()),
                Map.copyOf(info.getMetadataMap()),
                find(details, BadRequest.class).map(ErrorDetails::fields).orElse(List.of()),
                find(details, RetryInfo.class).map(ErrorDetails::delay).orElse(Duration.ZERO));
    }

    private static Status status(Metadata trailers) {
        byte[] bytes = trailers == null ? null : trailers.get(KEY);
        try {
            return bytes == null ? Status.getDefaultInstance() : Status.parseFrom(bytes);
        } catch (InvalidProtocolBufferException unreadable) {
            return Status.getDefaultInstance(); // the error itself still has to be told
        }
    }

    private static <D extends Message> Optional<D> find(List<Any> details, Class<D> kind) {
        return details.stream()
                .filter(detail -> detail.is(kind))
                .flatMap(detail -> unpacked(detail, kind).stream())
                .findFirst();
    }

    private static <D extends Message> Optional<D> unpacked(Any detail, Class<D> kind) {
        try {
            return Optional.of(detail.unpack(kind));
        } catch (InvalidProtocolBufferException unreadable) {
            return Optional.empty(); // as above
        }
    }

    private static String withoutPrefix(String reason) {
        return reason.startsWith(REASON_PREFIX) ? reason.substring(REASON_PREFIX.length()) : reason;
    }

    private static List<FieldProblem> fields(BadRequest request) {
        return request.getFieldViolationsList().stream()
                .map(each -> new FieldProblem(each.getField(), each.getDescription()))
                .toList();
    }

    private static Duration delay(RetryInfo info) {
        return Duration.ofSeconds(
                info.getRetryDelay().getSeconds(), info.getRetryDelay().getNanos());
    }
}
