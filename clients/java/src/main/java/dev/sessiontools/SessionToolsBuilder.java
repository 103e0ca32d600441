package dev.sessiontools;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ChannelCredentials;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.TlsChannelCredentials;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Says how to connect; made by {@link SessionTools#builder}. */
public final class SessionToolsBuilder {
    private static final int MEBIBYTE = 1 << 20;

    /** The server takes requests up to this size. */
    private static final int MAX_SEND_BYTES = 4 * MEBIBYTE;

    /** The server's answers are smaller; a later one may send more. */
    private static final int MAX_RECEIVE_BYTES = 16 * MEBIBYTE;

    /**
     * Every method may be repeated: writes carry a request_id or a lease token. A stream that has
     * begun is never repeated by this; {@link WaitRun} resumes it. gRPC wants numbers as doubles.
     */
    private static final Map<String, ?> RETRIES =
            Map.of(
                    "methodConfig",
                    List.of(
                            Map.of(
                                    "name",
                                    List.of(Map.of()),
                                    "retryPolicy",
                                    Map.of(
                                            "retryableStatusCodes",
                                            List.of("UNAVAILABLE"),
                                            "maxAttempts",
                                            5.0,
                                            "initialBackoff",
                                            "0.2s",
                                            "maxBackoff",
                                            "10s",
                                            "backoffMultiplier",
                                            2.0))));

    private final String target;
    private ChannelCredentials transport = TlsChannelCredentials.create();
    private Credentials who = Credentials.NONE;
    private Consumer<ManagedChannelBuilder<?>> more = channel -> {};

    SessionToolsBuilder(String target) {
        this.target = Objects.requireNonNull(target);
    }

    /**
     * Sends a bearer token with every call. Over {@link #plaintext} it can be read on the way.
     *
     * @param token empty for none
     */
    public SessionToolsBuilder token(String token) {
        who = new Credentials(token, who.actingSession());
        return this;
    }

    /**
     * Acts as a session in every call. {@link SessionTools#actingAs} does so for some.
     *
     * @param sessionKey empty for none
     */
    public SessionToolsBuilder actingSession(String sessionKey) {
        who = new Credentials(who.token(), sessionKey);
        return this;
    }

    /** Connects without TLS, as to a server on the same machine. */
    public SessionToolsBuilder plaintext() {
        return transport(InsecureChannelCredentials.create());
    }

    /**
     * Connects with these credentials: your own certificate authorities, or a certificate of the
     * client. Without, TLS trusts what the platform trusts.
     *
     * @param credentials such as {@link TlsChannelCredentials}
     */
    public SessionToolsBuilder transport(ChannelCredentials credentials) {
        transport = Objects.requireNonNull(credentials);
        return this;
    }

    /**
     * Adds settings of gRPC's own; they win over those that this builder makes.
     *
     * @param settings called with the builder of the channel
     */
    public SessionToolsBuilder channelSettings(Consumer<ManagedChannelBuilder<?>> settings) {
        more = more.andThen(settings);
        return this;
    }

    /**
     * Makes the client. It connects when the first call needs it, and again as often as it has to.
     *
     * @return a client, to be closed
     * @throws IllegalArgumentException when gRPC cannot make sense of the target
     */
    public SessionTools build() {
        ManagedChannelBuilder<?> builder = Grpc.newChannelBuilder(target, transport);
        configure(builder);
        more.accept(builder);
        ManagedChannel channel = builder.build();
        new Reconnecting(channel, Reconnecting.Later.REAL).watch();
        return SessionTools.owning(new Connection(channel, Timing.REAL), who);
    }

    private static void configure(ManagedChannelBuilder<?> builder) {
        builder.defaultServiceConfig(RETRIES)
                .intercept(sendLimit())
                .maxInboundMessageSize(MAX_RECEIVE_BYTES)
                // A server that vanished is noticed within 30 s, also by a wait that is silent.
                .keepAliveTime(20, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .keepAliveWithoutCalls(true);
    }

    private static ClientInterceptor sendLimit() {
        return new ClientInterceptor() {
            @Override
            public <Q, A> ClientCall<Q, A> interceptCall(
                    MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
                return next.newCall(method, options.withMaxOutboundMessageSize(MAX_SEND_BYTES));
            }
        };
    }
}
