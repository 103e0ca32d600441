use prost::Message;
use tonic::{Code, Request, Response, Status};
use uuid::Uuid;

use crate::client::Client;
use crate::deadline::Deadline;
use crate::error::Error;
use crate::pauses::Pauses;
use crate::retry;
use crate::services::MAX_SEND_BYTES;
use crate::v1;

/// Methods of [`Client`] that make one call each, with the generated method of the same name. `request_id` after a
/// request says that it has one, to be filled in where it is empty.
macro_rules! calls {
    ($($service:ident {$(
        $(#[$comment:meta])*
        $method:ident($request:ident $(, $request_id:ident)?) -> $response:ident;
    )*})*) => {
        impl Client {$($(
            $(#[$comment])*
            pub async fn $method(&self, request: v1::$request) -> Result<v1::$response, Error> {
                $(let request = identified(request, |request| &mut request.$request_id);)?
                self.call(request, |request| {
                    let mut service = self.$service();
                    async move { service.$method(request).await }
                }).await
            }
        )*)*}

        /// The methods above, and the requests whose id they fill in, to be compared with the contract.
        #[cfg(test)]
        pub(crate) const METHODS: &[&str] = &[$($(stringify!($method)),*),*];
        #[cfg(test)]
        pub(crate) const IDENTIFIED: &[(&str, &str)] =
            &[$($($((stringify!($request), stringify!($request_id)),)?)*)*];
    };
}

calls! {
    session_tools {
        /// Lists the sessions that the caller may see, the latest updated first.
        sessions_list(SessionsListRequest) -> SessionsListResponse;
        /// Reads the transcript of one session, the newest part first, each page oldest to newest.
        sessions_history(SessionsHistoryRequest) -> SessionsHistoryResponse;
        /// Sends a message to a session and, unless told otherwise, waits for the reply. That the run failed is not an
        /// error of the call: see `status`.
        sessions_send(SessionsSendRequest, request_id) -> SessionsSendResponse;
        /// Starts a sub-agent in a session of its own and returns at once.
        sessions_spawn(SessionsSpawnRequest, request_id) -> SessionsSpawnResponse;
        /// Lists the agents that the caller may spawn under: its own first, then the others by id.
        agents_list(AgentsListRequest) -> AgentsListResponse;
        /// Reads a run, if asked after waiting for it to change.
        get_run(GetRunRequest) -> GetRunResponse;
        /// Stops a run and the runs that it caused.
        cancel_run(CancelRunRequest, request_id) -> CancelRunResponse;
    }
    gateway {
        /// Brings a message from outside into a session, making the session if need be, and starts a run.
        chat_send(ChatSendRequest, request_id) -> ChatSendResponse;
        /// Stops the unfinished runs of a session and the runs that they caused, or one of them.
        chat_abort(ChatAbortRequest) -> ChatAbortResponse;
        /// Changes a session's settings, all or none of them.
        sessions_patch(SessionsPatchRequest) -> SessionsPatchResponse;
        /// Begins a new generation under the same key, with an empty transcript. The settings stay.
        sessions_reset(SessionsResetRequest, request_id) -> SessionsResetResponse;
        /// Archives a session, or removes it for good.
        sessions_delete(SessionsDeleteRequest) -> SessionsDeleteResponse;
        /// Finds one session by key, id or label. Nothing is made.
        sessions_resolve(SessionsResolveRequest) -> SessionsResolveResponse;
        /// Takes outgoing texts to send, the oldest of each route first. A long poll.
        acquire_deliveries(AcquireDeliveriesRequest) -> AcquireDeliveriesResponse;
        /// Tells that a text was sent.
        ack_delivery(AckDeliveryRequest) -> AckDeliveryResponse;
        /// Tells that a text was not sent.
        nack_delivery(NackDeliveryRequest) -> NackDeliveryResponse;
        /// Lists deliveries, the newest first. For owners only.
        list_deliveries(ListDeliveriesRequest) -> ListDeliveriesResponse;
        /// Puts a dead or unconfirmed delivery back to pending. For owners only.
        retry_delivery(RetryDeliveryRequest) -> RetryDeliveryResponse;
        /// Ends a delivery that is not final, or a dead one, as suppressed. For owners only.
        discard_delivery(DiscardDeliveryRequest) -> DiscardDeliveryResponse;
    }
    runtime {
        /// Takes queued runs to execute. A long poll: an empty answer means to ask again.
        acquire_runs(AcquireRunsRequest) -> AcquireRunsResponse;
        /// Renews leases and tells what was cancelled. One call for all runs of a runtime.
        heartbeat_runs(HeartbeatRunsRequest) -> HeartbeatRunsResponse;
        /// Stores what a run brings forth, and renews its lease.
        append_run_events(AppendRunEventsRequest) -> AppendRunEventsResponse;
        /// Ends a run, together with all that follows from its end.
        complete_run(CompleteRunRequest) -> CompleteRunResponse;
        /// Gives a run back to the queue, as a runtime that shuts down does.
        release_run(ReleaseRunRequest) -> ReleaseRunResponse;
    }
}

impl Client {
    /// One unary call, repeated as [`retry::repeat`] says, within the time that the caller has for it.
    async fn call<Q, A, F>(&self, request: Q, send: impl Fn(Request<Q>) -> F) -> Result<A, Error>
    where
        Q: Message + Clone,
        F: Future<Output = Result<Response<A>, Status>>,
    {
        check_size(&request)?;
        let deadline = Deadline::after(self.timeout);
        let attempt = || async { Ok(send(deadline.request(request.clone())).await?.into_inner()) };
        deadline.bound(retry::repeat(Pauses::new(&self.sleep), attempt)).await
    }
}

/// A request with a fresh id where it has none, so that the call may be repeated.
fn identified<Q>(mut request: Q, id_of: impl Fn(&mut Q) -> &mut String) -> Q {
    let id = id_of(&mut request);
    if id.is_empty() {
        *id = Uuid::new_v4().to_string();
    }
    request
}

/// tonic would reset the stream of a request that is too large, which looks like a server that went away.
fn check_size(request: &impl Message) -> Result<(), Error> {
    let size = request.encoded_len();
    if size <= MAX_SEND_BYTES {
        return Ok(());
    }
    let message = format!("the request has {size} bytes, more than {MAX_SEND_BYTES}");
    Err(Error::new(Code::ResourceExhausted, message))
}
