package dev.sessiontools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;

import dev.sessiontools.v1.ErrorReason;
import dev.sessiontools.v1.SessionToolsServiceGrpc;
import dev.sessiontools.v1.SessionsSendRequest;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

class SessionToolsExceptionTest {
    private static final SessionsSendRequest REQUEST = SessionsSendRequest.getDefaultInstance();

    private static SessionToolsException thrownFor(StatusRuntimeException failure) {
        try (var serving = new Serving(new FakeSends(failure))) {
            return assertThrows(
                    SessionToolsException.class, () -> serving.client().sessionsSend(REQUEST));
        }
    }

    @Test
    void aRefusalHasItsReasonAndDetails() { // X1
        var violation =
                BadRequest.FieldViolation.newBuilder()
                        .setField("message")
                        .setDescription("is required");
        var refusal =
                thrownFor(
                        Refusals.refusal(
                                Status.Code.INVALID_ARGUMENT,
                                "the message is blank",
                                ErrorInfo.newBuilder()
                                        .setReason("INVALID_FIELD")
                                        .setDomain("sessiontools")
                                        .putMetadata("a", "b")
                                        .build(),
                                BadRequest.newBuilder().addFieldViolations(violation).build(),
                                Refusals.after(Duration.ofSeconds(2))));

        assertEquals(Status.Code.INVALID_ARGUMENT, refusal.getCode());
        assertEquals("INVALID_FIELD", refusal.getReason());
        assertEquals("the message is blank", refusal.getDescription());
        assertEquals("INVALID_FIELD: the message is blank", refusal.getMessage());
        assertEquals(Map.of("a", "b"), refusal.getMetadata());
        assertEquals(List.of(new FieldProblem("message", "is required")), refusal.getFields());
        assertEquals(Duration.ofSeconds(2), refusal.getRetryAfter());
        assertTrue(refusal.hasReason(ErrorReason.ERROR_REASON_INVALID_FIELD));
        assertFalse(refusal.hasReason(ErrorReason.ERROR_REASON_LEASE_LOST));
    }

    @Test
    void thePrefixOfAReasonIsLeftOut() {
        var info = Refusals.info("ERROR_REASON_LEASE_LOST", "sessiontools");
        var refusal = thrownFor(Refusals.refusal(Status.Code.FAILED_PRECONDITION, "lost", info));

        assertEquals("LEASE_LOST", refusal.getReason());
    }

    @Test
    void anErrorThatIsNotTheServicesHasNoReason() {
        var info = Refusals.info("IP_BLOCKED", "proxy");
        var refusal = thrownFor(Refusals.refusal(Status.Code.PERMISSION_DENIED, "no", info));

        assertEquals("", refusal.getReason());
        assertEquals("PERMISSION_DENIED: no", refusal.getMessage());
        for (ErrorReason reason : ErrorReason.values()) {
            assertFalse(refusal.hasReason(reason), reason.name());
        }
    }

    @Test
    void anErrorWithoutAnythingIsTheCodeAlone() {
        var refusal = thrownFor(Status.DATA_LOSS.asRuntimeException());

        assertEquals("DATA_LOSS", refusal.getMessage());
        assertEquals("", refusal.getDescription());
        assertEquals(Map.of(), refusal.getMetadata());
        assertEquals(List.of(), refusal.getFields());
        assertEquals(Duration.ZERO, refusal.getRetryAfter());
    }

    @Test
    void detailsThatCannotBeReadDoNotHideTheError() {
        var key = Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);
        var unreadable = new Metadata();
        unreadable.put(key, new byte[] {-1});
        var broken = Any.newBuilder().setTypeUrl("type.googleapis.com/google.rpc.ErrorInfo");
        broken.setValue(ByteString.copyFrom(new byte[] {-1}));
        var inside = new Metadata();
        inside.put(
                key, com.google.rpc.Status.newBuilder().addDetails(broken).build().toByteArray());

        for (Metadata trailers : List.of(unreadable, inside)) {
            var refusal = thrownFor(Status.NOT_FOUND.asRuntimeException(trailers));

            assertEquals("NOT_FOUND", refusal.getMessage());
            assertEquals("", refusal.getReason());
        }
    }

    @Test
    void whatAFutureFailsWithCanBeMadeTyped() {
        var info = Refusals.info("QUEUE_FULL", "sessiontools");
        var full = Refusals.refusal(Status.Code.RESOURCE_EXHAUSTED, "full", info);
        try (var serving = new Serving(new FakeSends(full))) {
            var stub = SessionToolsServiceGrpc.newFutureStub(serving.client().channel());

            var failure =
                    assertThrows(ExecutionException.class, () -> stub.sessionsSend(REQUEST).get());
            var refusal = SessionToolsException.from(failure);

            assertTrue(refusal.hasReason(ErrorReason.ERROR_REASON_QUEUE_FULL));
            assertSame(refusal, SessionToolsException.from(refusal));
        }
    }
}
