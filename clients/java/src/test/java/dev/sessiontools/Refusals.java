package dev.sessiontools;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;

import java.time.Duration;

/** Errors as the server sends them. */
final class Refusals {
    private Refusals() {}

    static StatusRuntimeException refusal(Status.Code code, String message, Message... details) {
        var status = com.google.rpc.Status.newBuilder().setCode(code.value()).setMessage(message);
        for (Message detail : details) {
            status.addDetails(Any.pack(detail));
        }
        return StatusProto.toStatusRuntimeException(status.build());
    }

    static ErrorInfo info(String reason, String domain) {
        return ErrorInfo.newBuilder().setReason(reason).setDomain(domain).build();
    }

    static RetryInfo after(Duration delay) {
        var seconds = com.google.protobuf.Duration.newBuilder().setSeconds(delay.toSeconds());
        return RetryInfo.newBuilder().setRetryDelay(seconds).build();
    }

    static StatusRuntimeException exhausted(Duration delay) {
        return refusal(Status.Code.RESOURCE_EXHAUSTED, "too many waits", after(delay));
    }
}
