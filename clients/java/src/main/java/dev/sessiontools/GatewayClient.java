package dev.sessiontools;

import dev.sessiontools.v1.AckDeliveryRequest;
import dev.sessiontools.v1.AckDeliveryResponse;
import dev.sessiontools.v1.AcquireDeliveriesRequest;
import dev.sessiontools.v1.AcquireDeliveriesResponse;
import dev.sessiontools.v1.ChatAbortRequest;
import dev.sessiontools.v1.ChatAbortResponse;
import dev.sessiontools.v1.ChatSendRequest;
import dev.sessiontools.v1.ChatSendResponse;
import dev.sessiontools.v1.DiscardDeliveryRequest;
import dev.sessiontools.v1.DiscardDeliveryResponse;
import dev.sessiontools.v1.GatewayServiceGrpc;
import dev.sessiontools.v1.ListDeliveriesRequest;
import dev.sessiontools.v1.ListDeliveriesResponse;
import dev.sessiontools.v1.NackDeliveryRequest;
import dev.sessiontools.v1.NackDeliveryResponse;
import dev.sessiontools.v1.RetryDeliveryRequest;
import dev.sessiontools.v1.RetryDeliveryResponse;
import dev.sessiontools.v1.SessionsDeleteRequest;
import dev.sessiontools.v1.SessionsDeleteResponse;
import dev.sessiontools.v1.SessionsPatchRequest;
import dev.sessiontools.v1.SessionsPatchResponse;
import dev.sessiontools.v1.SessionsResetRequest;
import dev.sessiontools.v1.SessionsResetResponse;
import dev.sessiontools.v1.SessionsResolveRequest;
import dev.sessiontools.v1.SessionsResolveResponse;

/**
 * What channel gateways and operators may do; given by {@link SessionTools#gateway}. Every method
 * throws {@link SessionToolsException}; the contract tells the reasons.
 */
public final class GatewayClient {
    private final Calls calls;

    GatewayClient(Calls calls) {
        this.calls = calls;
    }

    /** Brings a message from outside into a session, making it if need be, and starts a run. */
    public ChatSendResponse chatSend(ChatSendRequest request) {
        return calls.unary(GatewayServiceGrpc.getChatSendMethod(), request);
    }

    /** Stops the unfinished runs of a session and what they caused, or one of them. */
    public ChatAbortResponse chatAbort(ChatAbortRequest request) {
        return calls.unary(GatewayServiceGrpc.getChatAbortMethod(), request);
    }

    /** Changes a session's settings, all or none of them. */
    public SessionsPatchResponse sessionsPatch(SessionsPatchRequest request) {
        return calls.unary(GatewayServiceGrpc.getSessionsPatchMethod(), request);
    }

    /** Begins a new transcript under the same key. The settings stay. */
    public SessionsResetResponse sessionsReset(SessionsResetRequest request) {
        return calls.unary(GatewayServiceGrpc.getSessionsResetMethod(), request);
    }

    /** Archives a session, or removes it for good. */
    public SessionsDeleteResponse sessionsDelete(SessionsDeleteRequest request) {
        return calls.unary(GatewayServiceGrpc.getSessionsDeleteMethod(), request);
    }

    /** Finds one session by key, id or label. Nothing is made. */
    public SessionsResolveResponse sessionsResolve(SessionsResolveRequest request) {
        return calls.unary(GatewayServiceGrpc.getSessionsResolveMethod(), request);
    }

    /** Takes outgoing texts to send. Each is to be acknowledged before its lease expires. */
    public AcquireDeliveriesResponse acquireDeliveries(AcquireDeliveriesRequest request) {
        return calls.unary(GatewayServiceGrpc.getAcquireDeliveriesMethod(), request);
    }

    /** Tells that the text was sent. */
    public AckDeliveryResponse ackDelivery(AckDeliveryRequest request) {
        return calls.unary(GatewayServiceGrpc.getAckDeliveryMethod(), request);
    }

    /** Tells that the text was not sent. It is offered again later. */
    public NackDeliveryResponse nackDelivery(NackDeliveryRequest request) {
        return calls.unary(GatewayServiceGrpc.getNackDeliveryMethod(), request);
    }

    /** Lists deliveries, the newest first. For owners only. */
    public ListDeliveriesResponse listDeliveries(ListDeliveriesRequest request) {
        return calls.unary(GatewayServiceGrpc.getListDeliveriesMethod(), request);
    }

    /** Puts a dead or unconfirmed delivery back to pending. For owners only. */
    public RetryDeliveryResponse retryDelivery(RetryDeliveryRequest request) {
        return calls.unary(GatewayServiceGrpc.getRetryDeliveryMethod(), request);
    }

    /** Ends a delivery that is not final, or a dead one. For owners only. */
    public DiscardDeliveryResponse discardDelivery(DiscardDeliveryRequest request) {
        return calls.unary(GatewayServiceGrpc.getDiscardDeliveryMethod(), request);
    }
}
