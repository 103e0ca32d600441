//! What a wait shows, how it pauses, and how it ends.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tonic::Code;

use super::fake::Fake;
use super::fake_calls::{End, Script, fails, ok, sends};
use crate::pauses::{MAX_PAUSE, MIN_PAUSE, Pause, Sleep, longest};
use crate::v1::wait_run_response::Event;
use crate::v1::{EndReason, OutputDelta, RunSnapshot, WaitEnded, WaitRunRequest, WaitRunResponse};
use crate::wait_run::Following;
use crate::{Error, Events};

pub(crate) fn snapshot(cursor: &str) -> WaitRunResponse {
    message(cursor, Event::Snapshot(RunSnapshot::default()))
}

pub(crate) fn delta(cursor: &str) -> WaitRunResponse {
    message(cursor, Event::OutputDelta(OutputDelta { text: cursor.into() }))
}

pub(crate) fn ended(cursor: &str, reason: EndReason) -> WaitRunResponse {
    ended_by_number(cursor, reason.into())
}

fn ended_by_number(cursor: &str, reason: i32) -> WaitRunResponse {
    message(cursor, Event::Ended(WaitEnded { reason, ..Default::default() }))
}

fn message(cursor: &str, event: Event) -> WaitRunResponse {
    WaitRunResponse { cursor: cursor.into(), event: Some(event), ..Default::default() }
}

pub(crate) fn finishes(cursor: &str) -> Script {
    sends(ok(), [ended(cursor, EndReason::RunTerminal)])
}

pub(crate) fn request() -> WaitRunRequest {
    WaitRunRequest { run_id: "run".into(), ..Default::default() }
}

/// The cursors that were asked for, stream by stream.
pub(crate) fn asked(fake: &Fake) -> Vec<String> {
    fake.calls().iter().map(|call| call.message::<WaitRunRequest>().cursor).collect()
}

/// The cursors of what a wait brings, and its error.
pub(crate) async fn told(mut events: Events<WaitRunResponse>) -> (Vec<String>, Option<Error>) {
    let mut cursors = Vec::new();
    while let Some(event) = events.next().await {
        match event {
            Ok(message) => cursors.push(message.cursor),
            Err(failure) => return (cursors, Some(failure)),
        }
    }
    (cursors, None)
}

#[tokio::test] // W6
async fn ends_of_the_stream_that_are_not_the_end_of_the_wait_are_not_told() {
    let fake = Fake::start([
        sends(ok(), [snapshot("0"), delta("1"), ended("1", EndReason::StreamAge)]),
        sends(ok(), [snapshot("1"), ended("1", EndReason::Draining)]),
        sends(ok(), [snapshot("1"), delta("2"), ended("2", EndReason::Deadline)]),
        sends(ok(), [snapshot("2"), ended_by_number("2", 99)]),
        sends(ok(), [snapshot("2"), ended("3", EndReason::Settled)]),
    ])
    .await;

    let (cursors, failure) = told(fake.client().0.wait_run(request())).await;

    assert_eq!(cursors, ["0", "1", "2", "3"]);
    assert_eq!(asked(&fake), ["", "1", "1", "2", "2"]);
    assert!(failure.is_none(), "{failure:?}");
}

#[tokio::test] // W6
async fn the_end_of_max_wait_ends_the_wait() {
    let fake = Fake::start([sends(ok(), [snapshot("0"), ended("0", EndReason::MaxWait)])]).await;
    let request = WaitRunRequest { max_wait_seconds: Some(9), ..request() };

    let (cursors, _) = told(fake.client().0.wait_run(request)).await;

    assert_eq!(cursors, ["0", "0"]);
    let [call] = &fake.calls()[..] else { panic!("{:?}", fake.calls()) };
    assert_eq!(call.message::<WaitRunRequest>().max_wait_seconds, Some(9));
}

#[tokio::test]
async fn max_wait_is_spent_over_all_streams() {
    let client = Fake::start([]).await.client().0;
    let limited = WaitRunRequest { max_wait_seconds: Some(10), ..request() };
    let mut fresh = Following::new(&client, limited.clone());
    let mut spent = Following::new(&client, limited);
    spent.until = Some(Instant::now());
    let mut without = Following::new(&client, request());

    fresh.shorten_max_wait();
    spent.shorten_max_wait();
    without.shorten_max_wait();

    assert_eq!(fresh.request.max_wait_seconds, Some(10));
    assert_eq!(spent.request.max_wait_seconds, Some(0));
    assert_eq!(without.request.max_wait_seconds, None);
}

#[tokio::test]
async fn an_event_of_a_later_contract_is_passed_on() {
    let later = WaitRunResponse { cursor: "1".into(), ..Default::default() };
    let fake = Fake::start([sends(ok(), [snapshot("0"), later]), finishes("2")]).await;

    let (cursors, _) = told(fake.client().0.wait_run(request())).await;

    assert_eq!(cursors, ["0", "1", "2"]);
}

#[tokio::test]
async fn nothing_follows_the_end() {
    let fake = Fake::start([finishes("0")]).await;
    let mut events = fake.client().0.wait_run(request());
    events.next().await.unwrap().unwrap();

    assert!(events.next().await.is_none());
    assert!(events.next().await.is_none());
    assert_eq!(fake.calls().len(), 1);
}

#[tokio::test]
async fn pauses_grow_until_there_is_news() {
    let silent = sends(ok(), [snapshot("0")]);
    let news = sends(ok(), [snapshot("0"), delta("1")]);
    let fake = Fake::start([silent.clone(), silent.clone(), silent, news, finishes("1")]).await;
    let (client, slept) = fake.client();

    told(client.wait_run(request())).await;

    let spreads: Vec<_> = slept.pauses().iter().map(|pause| pause.spread).collect();
    assert_eq!(spreads, [MIN_PAUSE, 2 * MIN_PAUSE, 4 * MIN_PAUSE, MIN_PAUSE]);
}

#[test]
fn a_pause_has_any_length_within_its_bounds() {
    let pause = Pause { at_least: MAX_PAUSE, spread: MIN_PAUSE };
    let drawn: Vec<_> = (0..1000).map(|_| pause.draw()).collect();

    assert!(drawn.iter().all(|length| (MAX_PAUSE..MAX_PAUSE + MIN_PAUSE).contains(length)));
    assert!(drawn.iter().any(|length| *length < MAX_PAUSE + MIN_PAUSE / 2));
    assert!(drawn.iter().any(|length| *length > MAX_PAUSE + MIN_PAUSE / 2));
}

#[test]
fn pauses_have_an_upper_bound() {
    let cases = [(0, MIN_PAUSE), (5, 32 * MIN_PAUSE), (6, MAX_PAUSE), (u32::MAX, MAX_PAUSE)];
    for (failures, bound) in cases {
        assert_eq!(longest(failures), bound, "after {failures} failures");
    }
}

#[tokio::test]
async fn the_callers_deadline_ends_a_wait_during_a_pause() {
    let fake = Fake::start([fails(tonic::Status::unavailable("away"))]).await;
    let mut client = fake.client().0.with_timeout(Duration::from_millis(50));
    client.sleep = Sleep(Arc::new(|_| Box::pin(std::future::pending())));

    let (_, failure) = told(client.wait_run(request())).await;

    assert_eq!(failure.unwrap().code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn the_callers_deadline_ends_a_wait_on_a_silent_server_which_was_told_of_it() {
    let left = Arc::new(Notify::new());
    let fake = Fake::start([sends(End::Silence(left.clone()), [snapshot("0")])]).await;
    let client = fake.client().0.with_timeout(Duration::from_secs(1));
    let mut events = client.wait_run(request());

    events.next().await.unwrap().unwrap();
    let failure = events.next().await.unwrap().unwrap_err();

    assert_eq!(failure.code(), Code::DeadlineExceeded);
    assert!(fake.calls()[0].header("grpc-timeout").is_some());
    left.notified().await; // although the events are still there
    assert!(events.next().await.is_none());
}

#[tokio::test]
async fn dropping_the_events_ends_the_stream() {
    let left = Arc::new(Notify::new());
    let fake = Fake::start([sends(End::Silence(left.clone()), [snapshot("0")])]).await;
    let mut events = fake.client().0.wait_run(request());
    events.next().await.unwrap().unwrap();

    drop(events);

    left.notified().await;
}

#[tokio::test]
async fn a_wait_may_go_on_in_a_task_of_its_own() {
    let fake = Fake::start([finishes("0")]).await;

    let (cursors, _) = tokio::spawn(told(fake.client().0.wait_run(request()))).await.unwrap();

    assert_eq!(cursors, ["0"]);
}
