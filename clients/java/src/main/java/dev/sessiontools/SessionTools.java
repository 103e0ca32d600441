package dev.sessiontools;

import dev.sessiontools.v1.AgentsListRequest;
import dev.sessiontools.v1.AgentsListResponse;
import dev.sessiontools.v1.CancelRunRequest;
import dev.sessiontools.v1.CancelRunResponse;
import dev.sessiontools.v1.GetRunRequest;
import dev.sessiontools.v1.GetRunResponse;
import dev.sessiontools.v1.SessionToolsServiceGrpc;
import dev.sessiontools.v1.SessionsHistoryRequest;
import dev.sessiontools.v1.SessionsHistoryResponse;
import dev.sessiontools.v1.SessionsListRequest;
import dev.sessiontools.v1.SessionsListResponse;
import dev.sessiontools.v1.SessionsSendRequest;
import dev.sessiontools.v1.SessionsSendResponse;
import dev.sessiontools.v1.SessionsSpawnRequest;
import dev.sessiontools.v1.SessionsSpawnResponse;
import dev.sessiontools.v1.WaitRunRequest;
import dev.sessiontools.v1.WaitRunsRequest;
import dev.sessiontools.v1.WaitRunsResponse;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A client of a server: what an agent may do, and with {@link #gateway} and {@link #runtime} the
 * other two services. It is safe for use by several threads, and one per program is enough.
 *
 * <p>Every call blocks, fails with {@link SessionToolsException}, honours the {@link
 * io.grpc.Context} that it is made in, and is cancelled when its thread is interrupted.
 */
public final class SessionTools implements AutoCloseable {
    private final Connection connection;
    private final boolean isOwner;
    private final Credentials who;
    private final Calls calls;

    private SessionTools(
            Connection connection, boolean isOwner, Credentials who, CallOptions options) {
        this.connection = connection;
        this.isOwner = isOwner;
        this.who = who;
        Channel channel = ClientInterceptors.intercept(connection.channel(), who, new RequestIds());
        this.calls = new Calls(channel, options);
    }

    static SessionTools owning(Connection connection, Credentials who) {
        return new SessionTools(connection, true, who, CallOptions.DEFAULT);
    }

    /**
     * Begins a client for a server, with TLS unless {@link SessionToolsBuilder#plaintext} says
     * otherwise.
     *
     * @param target such as {@code localhost:50551} or {@code dns:///tools.example:443}
     */
    public static SessionToolsBuilder builder(String target) {
        return new SessionToolsBuilder(target);
    }

    /**
     * Makes a client over a channel of your own. {@link #close} leaves the channel as it is;
     * retries, keepalive and sizes are the channel's.
     */
    public static SessionTools over(Channel channel) {
        Connection connection = new Connection(channel, Timing.REAL);
        return new SessionTools(connection, false, Credentials.NONE, CallOptions.DEFAULT);
    }

    /** Gives a client that acts as a session, over the same connection. Owners and gateways may. */
    public SessionTools actingAs(String sessionKey) {
        return derived(new Credentials(who.token(), sessionKey), calls.options());
    }

    /**
     * Gives a client with another token, over the same connection, acting as no session. With the
     * run token of a run, it is the agent of that run.
     */
    public SessionTools withToken(String token) {
        return derived(new Credentials(token, ""), calls.options());
    }

    /**
     * Gives a client whose calls, and waits as a whole, end within this time from now with {@code
     * DEADLINE_EXCEEDED}; over the same connection.
     */
    public SessionTools withDeadlineAfter(Duration time) {
        CallOptions options = calls.options();
        return derived(who, options.withDeadlineAfter(time.toNanos(), TimeUnit.NANOSECONDS));
    }

    private SessionTools derived(Credentials who, CallOptions options) {
        return new SessionTools(connection, false, who, options);
    }

    /** Gives the methods of gateways and operators. */
    public GatewayClient gateway() {
        return new GatewayClient(calls);
    }

    /** Gives the methods of runtimes. */
    public RuntimeClient runtime() {
        return new RuntimeClient(calls);
    }

    /**
     * Gives the connection, with credentials and request ids, for generated stubs of every kind:
     * {@code SessionToolsServiceGrpc.newFutureStub(client.channel())}. Their failures become typed
     * by {@link SessionToolsException#from}.
     */
    public Channel channel() {
        return calls.channel();
    }

    /**
     * Ends the connection and every call on it. On a client that shares the connection of another,
     * or is over a channel of your own, it does nothing.
     */
    @Override
    public void close() {
        if (isOwner) {
            connection.close();
        }
    }

    /**
     * Follows a run to its end, over cuts and restarts of the server. The wait is to be closed,
     * unless it is taken to its end.
     */
    public WaitRun waitRun(WaitRunRequest request) {
        return new WaitRun(connection, calls, request);
    }

    /**
     * Follows up to 100 runs in one stream. Unlike {@link #waitRun} it does not resume; the stream
     * is to be closed, unless it is taken to its end.
     */
    public ResponseStream<WaitRunsResponse> waitRuns(WaitRunsRequest request) {
        return calls.stream(SessionToolsServiceGrpc.getWaitRunsMethod(), request);
    }

    /** Lists the sessions that the caller may see, the latest updated first. */
    public SessionsListResponse sessionsList(SessionsListRequest request) {
        return calls.unary(SessionToolsServiceGrpc.getSessionsListMethod(), request);
    }

    /** Reads the transcript of a session, the newest part first. */
    public SessionsHistoryResponse sessionsHistory(SessionsHistoryRequest request) {
        return calls.unary(SessionToolsServiceGrpc.getSessionsHistoryMethod(), request);
    }

    /**
     * Sends a message to a session and, unless told otherwise, waits for the reply. The run goes on
     * whatever becomes of the wait. That it failed is no exception: see the status of the answer.
     */
    public SessionsSendResponse sessionsSend(SessionsSendRequest request) {
        return calls.unary(SessionToolsServiceGrpc.getSessionsSendMethod(), request);
    }

    /** Starts a sub-agent in a session of its own, and returns at once. */
    public SessionsSpawnResponse sessionsSpawn(SessionsSpawnRequest request) {
        return calls.unary(SessionToolsServiceGrpc.getSessionsSpawnMethod(), request);
    }

    /** Lists the agents that the caller may spawn under: its own first. */
    public AgentsListResponse agentsList(AgentsListRequest request) {
        return calls.unary(SessionToolsServiceGrpc.getAgentsListMethod(), request);
    }

    /** Reads a run, if asked after waiting for it to change. */
    public GetRunResponse getRun(GetRunRequest request) {
        return calls.unary(SessionToolsServiceGrpc.getGetRunMethod(), request);
    }

    /** Stops a run and the runs that it caused. A finished one is left as it is. */
    public CancelRunResponse cancelRun(CancelRunRequest request) {
        return calls.unary(SessionToolsServiceGrpc.getCancelRunMethod(), request);
    }
}
