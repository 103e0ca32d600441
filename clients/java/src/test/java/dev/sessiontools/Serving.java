package dev.sessiontools;

import dev.sessiontools.v1.WaitRunRequest;

import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** A server in this process, and what clients of it are made of. */
final class Serving implements AutoCloseable {
    private final Server server;
    final ManagedChannel channel;

    Serving(BindableService service, ServerInterceptor... interceptors) {
        this(ServerInterceptors.intercept(service.bindService(), interceptors));
    }

    Serving(ServerServiceDefinition service) {
        String name = InProcessServerBuilder.generateName();
        this.server = started(InProcessServerBuilder.forName(name).addService(service).build());
        this.channel = InProcessChannelBuilder.forName(name).build();
    }

    private static Server started(Server server) {
        try {
            return server.start();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    /** A client that has its clock, sleep and chance from the test. */
    SessionTools client(Timing timing) {
        return SessionTools.owning(new Connection(channel, timing), Credentials.NONE);
    }

    SessionTools client() {
        return client(new Slept().timing());
    }

    /** The cursors of what a wait tells to its end. */
    static List<String> told(SessionTools client, WaitRunRequest request) {
        List<String> cursors = new ArrayList<>();
        client.waitRun(request).forEachRemaining(event -> cursors.add(event.getCursor()));
        return cursors;
    }

    static WaitRunRequest request() {
        return WaitRunRequest.newBuilder().setRunId("run").build();
    }

    @Override
    public void close() {
        channel.shutdownNow();
        server.shutdownNow();
    }
}
