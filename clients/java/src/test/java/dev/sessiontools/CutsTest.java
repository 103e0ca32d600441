package dev.sessiontools;

import static dev.sessiontools.FakeTools.delta;
import static dev.sessiontools.FakeTools.fails;
import static dev.sessiontools.FakeTools.finishes;
import static dev.sessiontools.FakeTools.snapshot;
import static dev.sessiontools.Serving.request;
import static dev.sessiontools.Serving.told;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.sessiontools.v1.SessionToolsServiceGrpc;
import dev.sessiontools.v1.WaitRunRequest;

import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCalls;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

class CutsTest {
    static Stream<Arguments> cuts() {
        return Stream.of(
                arguments("unavailable", Status.UNAVAILABLE.asRuntimeException()),
                arguments("a cancellation nobody asked", Status.CANCELLED.asRuntimeException()),
                arguments(
                        "not the caller's deadline", Status.DEADLINE_EXCEEDED.asRuntimeException()),
                arguments("a reset", Status.INTERNAL.withDescription("RST").asRuntimeException()),
                arguments("exhausted, with a time", Refusals.exhausted(Duration.ofSeconds(3))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cuts")
    void whatCutsAStreamIsResumed(String name, StatusRuntimeException cut) {
        var fake = new FakeTools(fails(cut, snapshot("0"), delta("1")), finishes("2"));
        try (var serving = new Serving(fake)) {

            assertEquals(List.of("0", "1", "2"), told(serving.client(), request()));
        }
    }

    static Stream<Arguments> refusals() {
        var fault = Refusals.info("INTERNAL", "sessiontools");
        return Stream.of(
                arguments("exhausted, without a time", status(Status.RESOURCE_EXHAUSTED)),
                arguments("a fault", Refusals.refusal(Status.Code.INTERNAL, "a fault", fault)),
                arguments("not found", status(Status.NOT_FOUND)),
                arguments("permission denied", status(Status.PERMISSION_DENIED)),
                arguments("a cursor of another run", status(Status.INVALID_ARGUMENT)),
                arguments("a wait that could never end", status(Status.FAILED_PRECONDITION)),
                arguments("an unknown or expired token", status(Status.UNAUTHENTICATED)),
                arguments("a method the server has not", status(Status.UNIMPLEMENTED)),
                arguments("nobody knows", status(Status.UNKNOWN)));
    }

    private static StatusRuntimeException status(Status status) {
        return status.asRuntimeException();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusals")
    void whatRefusesAStreamIsTold(String name, StatusRuntimeException refusal) {
        var fake = new FakeTools(fails(refusal, snapshot("0"), delta("1")), finishes("2"));
        try (var serving = new Serving(fake)) {

            var told =
                    assertThrows(
                            SessionToolsException.class, () -> told(serving.client(), request()));

            assertEquals(refusal.getStatus().getCode(), told.getCode());
            assertEquals(1, fake.requests.size());
        }
    }

    @Test
    void aConnectionThatNettyClosedForReasonsItForgotIsACut() {
        var closed = Status.UNKNOWN.withCause(new ClosedChannelException());
        var other = Status.UNKNOWN.withCause(new IllegalStateException());

        assertTrue(Cuts.isCut(SessionToolsException.of(closed)));
        assertFalse(Cuts.isCut(SessionToolsException.of(other)));
    }

    @Test
    void aCancellationByAFaultInThisProgramIsNotACut() {
        var fault = Status.CANCELLED.withCause(new IllegalStateException());

        assertFalse(Cuts.isCut(SessionToolsException.of(fault)));
    }

    @Test
    void aMessageThatCannotBeDecodedIsNotAskedForAgain() {
        try (var serving = new Serving(sendsNonsense())) {

            var told =
                    assertThrows(
                            SessionToolsException.class, () -> told(serving.client(), request()));

            assertEquals(Status.Code.INTERNAL, told.getCode());
        }
    }

    /** WaitRun of a server that does not know the contract's messages. */
    private static ServerServiceDefinition sendsNonsense() {
        MethodDescriptor<WaitRunRequest, byte[]> method =
                SessionToolsServiceGrpc.getWaitRunMethod().toBuilder(
                                SessionToolsServiceGrpc.getWaitRunMethod().getRequestMarshaller(),
                                new Bytes())
                        .build();
        return ServerServiceDefinition.builder(SessionToolsServiceGrpc.SERVICE_NAME)
                .addMethod(
                        method,
                        ServerCalls.asyncServerStreamingCall(
                                (request, stream) -> stream.onNext(new byte[] {-1})))
                .build();
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException problem) {
                throw new IllegalStateException(problem);
            }
        }
    }
}
