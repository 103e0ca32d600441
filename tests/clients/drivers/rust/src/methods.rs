use prost::{DecodeError, Message};
use sessiontools::{Client, Error};

/// Calls the method of a client that has this name in the contract, with and for encoded messages.
macro_rules! by_name {
    ($client:ident, $name:ident, $request:ident; $($rpc:literal => $method:ident,)*) => {
        match $name {
            $($rpc => Ok($client.$method(decoded(Message::decode($request))).await?.encode_to_vec()),)*
            other => panic!("unknown method {other:?}"),
        }
    };
}

pub async fn call(client: &Client, name: &str, request: &[u8]) -> Result<Vec<u8>, Error> {
    by_name! { client, name, request;
        "SessionsList" => sessions_list,
        "SessionsHistory" => sessions_history,
        "SessionsSend" => sessions_send,
        "SessionsSpawn" => sessions_spawn,
        "AgentsList" => agents_list,
        "GetRun" => get_run,
        "CancelRun" => cancel_run,
        "ChatSend" => chat_send,
        "ChatAbort" => chat_abort,
        "SessionsPatch" => sessions_patch,
        "SessionsReset" => sessions_reset,
        "SessionsDelete" => sessions_delete,
        "SessionsResolve" => sessions_resolve,
        "AcquireDeliveries" => acquire_deliveries,
        "AckDelivery" => ack_delivery,
        "NackDelivery" => nack_delivery,
        "ListDeliveries" => list_deliveries,
        "RetryDelivery" => retry_delivery,
        "DiscardDelivery" => discard_delivery,
        "AcquireRuns" => acquire_runs,
        "HeartbeatRuns" => heartbeat_runs,
        "AppendRunEvents" => append_run_events,
        "CompleteRun" => complete_run,
        "ReleaseRun" => release_run,
    }
}

fn decoded<M>(message: Result<M, DecodeError>) -> M {
    message.expect("an encoded message")
}
