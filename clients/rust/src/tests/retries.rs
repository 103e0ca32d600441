//! Request ids, and the repetition of unary calls.

use std::sync::Arc;
use std::time::Duration;

use h2::Reason;
use tokio::sync::Notify;
use tonic::{Code, Status};

use super::fake::Fake;
use super::fake_calls::{End, answers_empty, fails, ok, sends};
use crate::pauses::{MIN_PAUSE, Pause};
use crate::v1::{SessionsSendRequest, SessionsSendResponse};

fn request() -> SessionsSendRequest {
    SessionsSendRequest { message: "hello".into(), ..Default::default() }
}

fn ids(fake: &Fake) -> Vec<String> {
    fake.calls().iter().map(|call| call.message::<SessionsSendRequest>().request_id).collect()
}

#[tokio::test]
async fn an_empty_request_id_is_filled_in_anew_for_every_call() {
    let fake = Fake::start([answers_empty()]).await;
    let (client, _) = fake.client();

    client.sessions_send(request()).await.unwrap();
    client.sessions_send(request()).await.unwrap();

    let [first, second] = &ids(&fake)[..] else { panic!("{:?}", ids(&fake)) };
    assert_eq!(first.len(), 36);
    assert_ne!(first, second);
}

#[tokio::test]
async fn the_callers_request_id_is_kept() {
    let fake = Fake::start([answers_empty()]).await;
    let request = SessionsSendRequest { request_id: "mine".into(), ..request() };

    fake.client().0.sessions_send(request).await.unwrap();

    assert_eq!(ids(&fake), ["mine"]);
}

#[tokio::test] // R8
async fn a_call_that_is_repeated_keeps_its_request_id() {
    let fake = Fake::start([fails(Status::unavailable("restarting")), answers_empty()]).await;

    fake.client().0.sessions_send(request()).await.unwrap();

    let [first, second] = &ids(&fake)[..] else { panic!("{:?}", ids(&fake)) };
    assert_eq!(first, second);
}

#[tokio::test]
async fn a_call_is_made_five_times_with_growing_pauses() {
    let fake = Fake::start([fails(Status::unavailable("away"))]).await;
    let (client, slept) = fake.client();

    let failure = client.sessions_send(request()).await.unwrap_err();

    assert_eq!(failure.code(), Code::Unavailable);
    assert_eq!(fake.calls().len(), 5);
    let expected = [1, 2, 4, 8].map(|factor| Pause { at_least: Duration::ZERO, spread: factor * MIN_PAUSE });
    assert_eq!(slept.pauses(), expected);
}

#[tokio::test]
async fn a_call_whose_stream_is_reset_is_repeated_for_whatever_reason() {
    for reason in [Reason::CANCEL, Reason::INTERNAL_ERROR, Reason::REFUSED_STREAM] {
        let fake = Fake::start([fails(End::Reset(reason)), answers_empty()]).await;

        let answer = fake.client().0.sessions_send(request()).await;

        assert!(answer.is_ok(), "{reason:?}: {answer:?}");
    }
}

#[tokio::test]
async fn a_call_whose_connection_is_cut_is_repeated() {
    let fake = Fake::start([fails(End::Silence(Arc::default())), answers_empty()]).await;
    let (client, _) = fake.client();
    let sending = tokio::spawn(async move { client.sessions_send(request()).await });
    fake.called().await;

    fake.cut();

    sending.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_refusal_is_not_repeated() {
    for code in [Code::Internal, Code::Cancelled, Code::ResourceExhausted, Code::NotFound, Code::Unknown] {
        let fake = Fake::start([fails(Status::new(code, "no"))]).await;

        let failure = fake.client().0.sessions_send(request()).await.unwrap_err();

        assert_eq!(failure.code(), code);
        assert_eq!(fake.calls().len(), 1, "{code:?}");
    }
}

#[tokio::test]
async fn the_callers_deadline_ends_a_call_and_its_repetitions_and_is_told_to_the_server() {
    let left = Arc::new(Notify::new());
    let silence = fails(End::Silence(left.clone()));
    let fake = Fake::start([fails(Status::unavailable("away")), silence]).await;
    let client = fake.client().0.with_timeout(Duration::from_secs(1));

    let failure = client.sessions_send(request()).await.unwrap_err();

    assert_eq!(failure.code(), Code::DeadlineExceeded);
    left.notified().await;
    assert!(fake.calls().iter().all(|call| call.header("grpc-timeout").is_some()));
}

#[tokio::test]
async fn an_endless_timeout_is_none() {
    let fake = Fake::start([answers_empty()]).await;

    fake.client().0.with_timeout(Duration::MAX).sessions_send(request()).await.unwrap();

    assert_eq!(fake.calls()[0].header("grpc-timeout"), None);
}

#[tokio::test]
async fn a_request_that_is_too_large_is_not_sent() {
    let fake = Fake::start([answers_empty()]).await;
    let request = SessionsSendRequest { message: "x".repeat(5 << 20), ..request() };

    let failure = fake.client().0.sessions_send(request).await.unwrap_err();

    assert_eq!(failure.code(), Code::ResourceExhausted);
    assert!(fake.calls().is_empty());
}

#[tokio::test]
async fn an_answer_larger_than_the_limit_of_tonic_is_received() {
    let large = SessionsSendResponse { error: "x".repeat(5 << 20), ..Default::default() };
    let fake = Fake::start([sends(ok(), [large.clone()])]).await;

    let answer = fake.client().0.sessions_send(request()).await.unwrap();

    assert_eq!(answer, large);
}
