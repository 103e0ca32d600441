use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt;
use tokio::sync::Notify;
use tonic::{Code, Status};

use super::fake::Fake;
use super::fake_calls::{End, fails, ok, sends};
use crate::v1::{WaitRunsRequest, WaitRunsResponse};

fn message(run_id: &str) -> WaitRunsResponse {
    WaitRunsResponse { run_id: run_id.into(), ..Default::default() }
}

#[tokio::test]
async fn the_opening_is_repeated_while_the_server_is_away() {
    let fake = Fake::start([fails(Status::unavailable("away")), sends(ok(), [message("a"), message("b")])]).await;

    let events = fake.client().0.wait_runs(WaitRunsRequest::default());
    let messages: Vec<_> = events.try_collect().await.unwrap();

    assert_eq!(messages, [message("a"), message("b")]);
}

#[tokio::test]
async fn a_stream_that_is_cut_is_not_resumed() {
    let fake = Fake::start([sends(Status::unavailable("cut"), [message("a")])]).await;
    let mut events = fake.client().0.wait_runs(WaitRunsRequest::default());

    events.next().await.unwrap().unwrap();
    let failure = events.next().await.unwrap().unwrap_err();

    assert_eq!(failure.code(), Code::Unavailable);
    assert!(events.next().await.is_none());
    assert_eq!(fake.calls().len(), 1);
}

#[tokio::test]
async fn the_callers_deadline_ends_it() {
    let silence = End::Silence(Arc::new(Notify::new()));
    let fake = Fake::start([sends(silence, [message("a")])]).await;
    let client = fake.client().0.with_timeout(Duration::from_secs(1));
    let mut events = client.wait_runs(WaitRunsRequest::default());

    events.next().await.unwrap().unwrap();
    let failure = events.next().await.unwrap().unwrap_err();

    assert_eq!(failure.code(), Code::DeadlineExceeded);
}
