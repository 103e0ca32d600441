package dev.sessiontools;

import dev.sessiontools.v1.SessionToolsServiceGrpc.SessionToolsServiceImplBase;
import dev.sessiontools.v1.SessionsSendRequest;
import dev.sessiontools.v1.SessionsSendResponse;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/** Notes what it is sent, and answers with these errors first. */
final class FakeSends extends SessionToolsServiceImplBase implements ServerInterceptor {
    private final Deque<StatusRuntimeException> failures;
    final List<SessionsSendRequest> requests = Collections.synchronizedList(new ArrayList<>());
    volatile Metadata metadata;

    FakeSends(StatusRuntimeException... failures) {
        this.failures = new ArrayDeque<>(List.of(failures));
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        metadata = headers;
        return next.startCall(call, headers);
    }

    @Override
    public synchronized void sessionsSend(
            SessionsSendRequest request, StreamObserver<SessionsSendResponse> answer) {
        requests.add(request);
        if (!failures.isEmpty()) {
            answer.onError(failures.pop());
            return;
        }
        answer.onNext(SessionsSendResponse.newBuilder().setRunId("run").build());
        answer.onCompleted();
    }

    List<String> ids() {
        return requests.stream().map(SessionsSendRequest::getRequestId).toList();
    }

    /** The value of a header of the latest call; null when there was none. */
    String header(String name) {
        return metadata.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER));
    }
}
