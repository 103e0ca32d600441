package dev.sessiontools;

import dev.sessiontools.v1.EndReason;
import dev.sessiontools.v1.OutputDelta;
import dev.sessiontools.v1.RunSnapshot;
import dev.sessiontools.v1.SessionToolsServiceGrpc.SessionToolsServiceImplBase;
import dev.sessiontools.v1.WaitEnded;
import dev.sessiontools.v1.WaitRunRequest;
import dev.sessiontools.v1.WaitRunResponse;

import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Plays one script for each stream that is opened, and notes the requests. */
final class FakeTools extends SessionToolsServiceImplBase {
    private final Deque<Script> scripts;
    final List<WaitRunRequest> requests = Collections.synchronizedList(new ArrayList<>());

    FakeTools(Script... scripts) {
        this.scripts = new ArrayDeque<>(List.of(scripts));
    }

    /** What one stream brings. */
    interface Script {
        void play(StreamObserver<WaitRunResponse> stream);
    }

    @Override
    public void waitRun(WaitRunRequest request, StreamObserver<WaitRunResponse> stream) {
        requests.add(request);
        next().play(stream);
    }

    private synchronized Script next() {
        return scripts.size() > 1 ? scripts.pop() : scripts.peek(); // the last goes on for ever
    }

    List<String> cursors() {
        return requests.stream().map(WaitRunRequest::getCursor).toList();
    }

    static WaitRunResponse snapshot(String cursor) {
        return WaitRunResponse.newBuilder()
                .setCursor(cursor)
                .setSnapshot(RunSnapshot.getDefaultInstance())
                .build();
    }

    static WaitRunResponse delta(String cursor) {
        return WaitRunResponse.newBuilder()
                .setCursor(cursor)
                .setOutputDelta(OutputDelta.newBuilder().setText(cursor))
                .build();
    }

    static WaitRunResponse ended(String cursor, EndReason reason) {
        return WaitRunResponse.newBuilder()
                .setCursor(cursor)
                .setEnded(WaitEnded.newBuilder().setReason(reason))
                .build();
    }

    /** A stream with these messages, ended in order but without a last word. */
    static Script sends(WaitRunResponse... messages) {
        return stream -> {
            List.of(messages).forEach(stream::onNext);
            stream.onCompleted();
        };
    }

    /** A stream with these messages, ended with this error. */
    static Script fails(StatusRuntimeException failure, WaitRunResponse... messages) {
        return stream -> {
            List.of(messages).forEach(stream::onNext);
            stream.onError(failure);
        };
    }

    static Script away() {
        return fails(Status.UNAVAILABLE.asRuntimeException());
    }

    static Script finishes(String cursor) {
        return sends(snapshot(cursor), ended(cursor, EndReason.END_REASON_RUN_TERMINAL));
    }

    /** A stream with one snapshot that goes on until its caller leaves, which opens the latch. */
    static Script hangs(CountDownLatch left) {
        return stream -> {
            Context.current().addListener(cancelled -> left.countDown(), Runnable::run);
            stream.onNext(snapshot("0"));
        };
    }
}
