package dev.sessiontools;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.MethodDescriptor;

import java.util.UUID;

/**
 * Fills an empty {@code request_id} in, so that gRPC may repeat the call. The caller's request
 * stays as it is: used for a second call, it is to be a second request.
 */
final class RequestIds implements ClientInterceptor {
    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
            MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            public void sendMessage(Q request) {
                super.sendMessage(filled(request));
            }
        };
    }

    @SuppressWarnings("unchecked") // the builder of a message builds its kind
    private static <Q> Q filled(Q request) {
        if (!(request instanceof Message message)) {
            return request;
        }
        FieldDescriptor field = message.getDescriptorForType().findFieldByName("request_id");
        if (field == null || !"".equals(message.getField(field))) {
            return request;
        }
        return (Q) message.toBuilder().setField(field, UUID.randomUUID().toString()).build();
    }
}
