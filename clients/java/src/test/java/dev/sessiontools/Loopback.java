package dev.sessiontools;

import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;

import java.io.IOException;
import java.net.InetSocketAddress;

/** A server on a port of this machine, for what only a real connection shows. */
final class Loopback implements AutoCloseable {
    private final Server server;

    Loopback(BindableService service) throws IOException {
        var anyPort = new InetSocketAddress("127.0.0.1", 0);
        server = NettyServerBuilder.forAddress(anyPort).addService(service).build().start();
    }

    String address() {
        return "127.0.0.1:" + server.getPort();
    }

    SessionToolsBuilder client() {
        return SessionTools.builder(address()).plaintext();
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
