package dev.sessiontools;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;

/**
 * Makes calls whose failures are {@link SessionToolsException}s. An interceptor cannot do this: a
 * generated stub makes its exception itself, out of the status alone.
 */
record Calls(Channel channel, CallOptions options) {

    <Q, A> A unary(MethodDescriptor<Q, A> method, Q request) {
        try {
            return ClientCalls.blockingUnaryCall(channel, method, options, request);
        } catch (StatusRuntimeException failure) {
            throw SessionToolsException.from(failure);
        }
    }

    <Q, A> ResponseStream<A> stream(MethodDescriptor<Q, A> method, Q request) {
        return ResponseStream.open(channel.newCall(method, options), request);
    }
}
