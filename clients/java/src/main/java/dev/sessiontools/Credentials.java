package dev.sessiontools;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;

/** Who calls; empty strings mean nobody in particular. */
record Credentials(String token, String actingSession) implements ClientInterceptor {
    static final Credentials NONE = new Credentials("", "");

    private static final Metadata.Key<String> AUTHORIZATION = key("authorization");
    private static final Metadata.Key<String> ACTING_SESSION = key("acting-session");

    Credentials {
        requirePrintable("token", token);
        requirePrintable("session key", actingSession);
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    /** gRPC would send a question mark for any other character, and so act as somebody else. */
    private static void requirePrintable(String what, String text) {
        if (!text.chars().allMatch(each -> each >= ' ' && each <= '~')) {
            throw new IllegalArgumentException("a " + what + " is of printable ASCII characters");
        }
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
            MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            public void start(Listener<A> listener, Metadata headers) {
                attach(headers);
                super.start(listener, headers);
            }
        };
    }

    private void attach(Metadata headers) {
        if (!token.isEmpty()) {
            headers.put(AUTHORIZATION, "Bearer " + token);
        }
        if (!actingSession.isEmpty()) {
            headers.put(ACTING_SESSION, actingSession);
        }
    }

    /** A token in a log is a token lost. */
    @Override
    public String toString() {
        return "Credentials[actingSession=" + actingSession + "]";
    }
}
