//! What is resumed, and how it is asked for.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use h2::Reason;
use tokio::sync::Notify;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use super::fake::Fake;
use super::fake_calls::{End, answers_garbage, fails, ok, sends};
use super::wait_run::{asked, delta, ended, finishes, request, snapshot, told};
use crate::pauses::{MIN_PAUSE, Pause};
use crate::v1::{EndReason, WaitRunRequest};
use crate::{Client, Options};

fn exhausted_for(delay: Duration) -> Status {
    let details = ErrorDetails::with_retry_info(Some(delay));
    Status::with_error_details(Code::ResourceExhausted, "too many waits", details)
}

#[tokio::test] // W1, W2
async fn a_cut_wait_resumes_after_the_last_cursor_and_looks_like_one_stream() {
    let fake = Fake::start([
        sends(Status::unavailable("cut"), [snapshot("0"), delta("1"), delta("2")]),
        sends(Status::unavailable("cut"), [snapshot("2")]),
        sends(ok(), [snapshot("2"), delta("3"), ended("4", EndReason::RunTerminal)]),
    ])
    .await;

    let (cursors, failure) = told(fake.client().0.wait_run(request())).await;

    assert_eq!(cursors, ["0", "1", "2", "3", "4"]);
    assert_eq!(asked(&fake), ["", "2", "2"]);
    assert!(failure.is_none(), "{failure:?}");
}

#[tokio::test]
async fn a_wait_begins_at_the_callers_cursor() {
    let fake = Fake::start([sends(ok(), [snapshot("7"), delta("8")]), finishes("8")]).await;

    told(fake.client().0.wait_run(WaitRunRequest { cursor: "7".into(), ..request() })).await;

    assert_eq!(asked(&fake), ["7", "8"]);
}

#[tokio::test]
async fn what_cuts_a_stream_is_resumed_and_what_refuses_it_is_not() {
    let fault = ErrorDetails::with_error_info("INTERNAL", "sessiontools", []);
    let fault = Status::with_error_details(Code::Internal, "a fault", fault);
    let cases: [(&str, End, Option<Code>); 17] = [
        ("the end without a last word", ok().into(), None),
        ("the end without a status", End::Untold, None),
        ("unavailable", Status::unavailable("").into(), None),
        ("a cancellation nobody asked", Status::cancelled("").into(), None),
        ("a deadline that is not the caller's", Status::deadline_exceeded("").into(), None),
        ("a reset told by a proxy", Status::internal("RST_STREAM").into(), None),
        ("exhausted, with a time", exhausted_for(Duration::from_secs(3)).into(), None),
        ("exhausted", Status::resource_exhausted("").into(), Some(Code::ResourceExhausted)),
        ("a fault of the server", fault.into(), Some(Code::Internal)),
        ("unknown", Status::unknown("").into(), Some(Code::Unknown)),
        ("not found", Status::not_found("").into(), Some(Code::NotFound)),
        ("permission denied", Status::permission_denied("").into(), Some(Code::PermissionDenied)),
        ("another cursor", Status::invalid_argument("").into(), Some(Code::InvalidArgument)),
        ("no end", Status::failed_precondition("").into(), Some(Code::FailedPrecondition)),
        ("no token", Status::unauthenticated("").into(), Some(Code::Unauthenticated)),
        ("no such method", Status::unimplemented("").into(), Some(Code::Unimplemented)),
        ("data loss", Status::data_loss("").into(), Some(Code::DataLoss)),
    ];
    for (name, end, refusal) in cases {
        let fake = Fake::start([sends(end, [snapshot("0"), delta("1")]), finishes("2")]).await;

        let (cursors, failure) = told(fake.client().0.wait_run(request())).await;

        assert_eq!(failure.map(|failure| failure.code()), refusal, "{name}");
        assert_eq!(cursors.len(), if refusal.is_some() { 2 } else { 3 }, "{name}: {cursors:?}");
    }
}

#[tokio::test]
async fn a_connection_that_is_cut_is_resumed() {
    let silent = sends(End::Silence(Arc::default()), [snapshot("0"), delta("1")]);
    let fake = Fake::start([silent, finishes("2")]).await;
    let mut events = fake.client().0.wait_run(request());
    events.next().await.unwrap().unwrap();
    events.next().await.unwrap().unwrap();

    fake.cut();

    let (cursors, failure) = told(events).await;
    assert_eq!(cursors, ["2"]);
    assert_eq!(asked(&fake), ["", "1"]);
    assert!(failure.is_none(), "{failure:?}");
}

#[tokio::test]
async fn a_stream_that_is_reset_is_resumed_for_whatever_reason() {
    let reasons =
        [Reason::NO_ERROR, Reason::CANCEL, Reason::INTERNAL_ERROR, Reason::REFUSED_STREAM, Reason::ENHANCE_YOUR_CALM];
    for reason in reasons {
        let signal = Arc::new(Notify::new());
        let fake = Fake::start([
            fails(End::Reset(reason)),
            sends(End::ResetOn(signal.clone(), reason), [snapshot("0")]),
            finishes("1"),
        ])
        .await;
        let mut events = fake.client().0.wait_run(request());
        events.next().await.unwrap().unwrap();

        signal.notify_one();

        let (cursors, failure) = told(events).await;
        assert_eq!(cursors, ["1"], "{reason:?}");
        assert!(failure.is_none(), "{reason:?}: {failure:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_away_is_awaited_until_the_deadline() {
    let gone = Fake::start([]).await.address.clone();
    let client = Client::connect(&gone, Options::new().plaintext()).unwrap();

    let (_, failure) = told(client.with_timeout(Duration::from_millis(50)).wait_run(request())).await;

    assert_eq!(failure.unwrap().code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn a_message_that_cannot_be_decoded_is_not_asked_for_again() {
    let fake = Fake::start([answers_garbage()]).await;

    let (_, failure) = told(fake.client().0.wait_run(request())).await;

    assert_eq!(failure.unwrap().code(), Code::Internal);
    assert_eq!(fake.calls().len(), 1);
}

#[tokio::test]
async fn a_message_given_up_while_it_is_awaited_is_not_lost() {
    let silent = sends(End::Silence(Arc::default()), [snapshot("0")]);
    let fake = Fake::start([silent, sends(ok(), [delta("1"), ended("2", EndReason::Settled)])]).await;
    let mut events = fake.client().0.wait_run(request());
    events.next().await.unwrap().unwrap();

    let given_up = events.next().now_or_never();
    fake.cut();

    assert!(given_up.is_none());
    assert_eq!(told(events).await.0, ["1", "2"]);
}

#[tokio::test] // W10
async fn a_retry_info_is_the_least_pause() {
    let later = exhausted_for(Duration::from_secs(30));
    let fake = Fake::start([fails(later), finishes("0")]).await;
    let (client, slept) = fake.client();

    told(client.wait_run(request())).await;

    assert_eq!(slept.pauses(), [Pause { at_least: Duration::from_secs(30), spread: MIN_PAUSE }]);
}
