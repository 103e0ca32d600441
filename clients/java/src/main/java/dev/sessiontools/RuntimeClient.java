package dev.sessiontools;

import dev.sessiontools.v1.AcquireRunsRequest;
import dev.sessiontools.v1.AcquireRunsResponse;
import dev.sessiontools.v1.AppendRunEventsRequest;
import dev.sessiontools.v1.AppendRunEventsResponse;
import dev.sessiontools.v1.CompleteRunRequest;
import dev.sessiontools.v1.CompleteRunResponse;
import dev.sessiontools.v1.HeartbeatRunsRequest;
import dev.sessiontools.v1.HeartbeatRunsResponse;
import dev.sessiontools.v1.ReleaseRunRequest;
import dev.sessiontools.v1.ReleaseRunResponse;
import dev.sessiontools.v1.RuntimeServiceGrpc;

/**
 * What programs that execute runs may do; given by {@link SessionTools#runtime}. Every method
 * throws {@link SessionToolsException}; the contract tells the reasons.
 */
public final class RuntimeClient {
    private final Calls calls;

    RuntimeClient(Calls calls) {
        this.calls = calls;
    }

    /** Takes queued runs to execute. A long poll: an empty answer means to ask again. */
    public AcquireRunsResponse acquireRuns(AcquireRunsRequest request) {
        return calls.unary(RuntimeServiceGrpc.getAcquireRunsMethod(), request);
    }

    /** Renews the leases of all runs of a runtime, and tells what was cancelled. */
    public HeartbeatRunsResponse heartbeatRuns(HeartbeatRunsRequest request) {
        return calls.unary(RuntimeServiceGrpc.getHeartbeatRunsMethod(), request);
    }

    /** Stores what the run brings forth, and renews its lease. */
    public AppendRunEventsResponse appendRunEvents(AppendRunEventsRequest request) {
        return calls.unary(RuntimeServiceGrpc.getAppendRunEventsMethod(), request);
    }

    /** Ends the run, together with all that follows from its end. */
    public CompleteRunResponse completeRun(CompleteRunRequest request) {
        return calls.unary(RuntimeServiceGrpc.getCompleteRunMethod(), request);
    }

    /** Gives the run back to the queue, as a runtime that shuts down does. */
    public ReleaseRunResponse releaseRun(ReleaseRunRequest request) {
        return calls.unary(RuntimeServiceGrpc.getReleaseRunMethod(), request);
    }
}
