package dev.sessiontools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.sessiontools.v1.SessionToolsServiceGrpc.SessionToolsServiceImplBase;
import dev.sessiontools.v1.WaitRunsRequest;
import dev.sessiontools.v1.WaitRunsResponse;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Consumer;

@Timeout(30)
class ResponseStreamTest {
    private static Serving serving(Consumer<StreamObserver<WaitRunsResponse>> script) {
        return new Serving(
                new SessionToolsServiceImplBase() {
                    @Override
                    public void waitRuns(
                            WaitRunsRequest request, StreamObserver<WaitRunsResponse> stream) {
                        stream.onNext(WaitRunsResponse.newBuilder().setRunId("one").build());
                        stream.onNext(WaitRunsResponse.newBuilder().setRunId("two").build());
                        script.accept(stream);
                    }
                });
    }

    private static ResponseStream<WaitRunsResponse> opened(Serving serving) {
        return serving.client().waitRuns(WaitRunsRequest.getDefaultInstance());
    }

    @Test
    void aStreamIsReadInOrderToItsEnd() {
        try (var serving = serving(StreamObserver::onCompleted)) {
            List<String> runs = new ArrayList<>();

            ResponseStream<WaitRunsResponse> stream = opened(serving);
            for (WaitRunsResponse answer : stream) {
                runs.add(answer.getRunId());
            }

            assertEquals(List.of("one", "two"), runs);
            assertThrows(NoSuchElementException.class, stream::next);
        }
    }

    @Test
    void theFailureOfAStreamComesAfterItsAnswersAndIsTyped() {
        var lost = Refusals.info("RUN_NOT_FOUND", "sessiontools");
        var refusal = Refusals.refusal(Status.Code.NOT_FOUND, "no such run", lost);
        try (var serving = serving(stream -> stream.onError(refusal))) {
            ResponseStream<WaitRunsResponse> stream = opened(serving);
            stream.next();
            stream.next();

            var failure = assertThrows(SessionToolsException.class, stream::hasNext);

            assertEquals("RUN_NOT_FOUND", failure.getReason());
        }
    }

    @Test
    void aClosedStreamIsCancelled() {
        try (var serving = serving(stream -> {})) {
            ResponseStream<WaitRunsResponse> stream = opened(serving);
            stream.next();
            stream.next();
            stream.close();

            var failure = assertThrows(SessionToolsException.class, stream::next);

            assertEquals(Status.Code.CANCELLED, failure.getCode());
        }
    }
}
