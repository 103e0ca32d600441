use std::collections::HashMap;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use super::fake::Fake;
use super::fake_calls::fails;
use crate::v1::{ErrorReason, GetRunRequest};
use crate::{Client, Error, FieldProblem, Options};

async fn failure_of(status: Status) -> Error {
    let fake = Fake::start([fails(status)]).await;
    fake.client().0.get_run(GetRunRequest::default()).await.unwrap_err()
}

#[tokio::test] // X1
async fn a_refusal_has_its_reason_and_details() {
    let mut details =
        ErrorDetails::with_error_info("INVALID_FIELD", "sessiontools", [("a".to_owned(), "b".to_owned())]);
    details.add_bad_request_violation("message", "is required");
    details.set_retry_info(Some(Duration::from_secs(2)));
    let status = Status::with_error_details(Code::InvalidArgument, "the message is blank", details);

    let refusal = failure_of(status).await;

    let problem = FieldProblem { field: "message".into(), problem: "is required".into() };
    assert_eq!(refusal.code(), Code::InvalidArgument);
    assert_eq!(refusal.reason(), "INVALID_FIELD");
    assert_eq!(refusal.message(), "the message is blank");
    assert_eq!(refusal.metadata(), &HashMap::from([("a".into(), "b".into())]));
    assert_eq!(refusal.fields(), [problem]);
    assert_eq!(refusal.retry_after(), Some(Duration::from_secs(2)));
    assert_eq!(refusal.to_string(), "INVALID_FIELD: the message is blank");
    assert!(refusal.has_reason(ErrorReason::InvalidField));
    assert!(!refusal.has_reason(ErrorReason::InvalidKey));
}

#[tokio::test]
async fn a_reason_loses_the_prefix_of_its_enum() {
    let details = ErrorDetails::with_error_info("ERROR_REASON_LEASE_LOST", "sessiontools", []);

    let refusal = failure_of(Status::with_error_details(Code::FailedPrecondition, "", details)).await;

    assert_eq!(refusal.reason(), "LEASE_LOST");
    assert!(refusal.has_reason(ErrorReason::LeaseLost));
}

#[tokio::test]
async fn an_error_that_is_not_the_services_has_no_reason() {
    let details = ErrorDetails::with_error_info("IP_BLOCKED", "proxy", [("a".into(), "b".into())]);

    let refusal = failure_of(Status::with_error_details(Code::PermissionDenied, "no", details)).await;

    assert_eq!(refusal.reason(), "");
    assert!(refusal.metadata().is_empty());
    assert_eq!(refusal.to_string(), "PermissionDenied: no");
}

#[tokio::test]
async fn a_server_that_is_away_is_unavailable_and_the_error_says_why() {
    let gone = Fake::start([]).await.address.clone();
    let mut client = Client::connect(&gone, Options::new().plaintext()).unwrap();
    client.sleep = Fake::start([]).await.client().0.sleep;

    let failure = client.get_run(GetRunRequest::default()).await.unwrap_err();

    assert_eq!(failure.code(), Code::Unavailable);
    assert!(failure.message().contains("refused"), "{failure}");
}

#[tokio::test]
async fn a_target_that_makes_no_sense_is_refused_at_once() {
    for target in ["", "http://localhost:1", "local host:1"] {
        let failure = Client::connect(target, Options::new().plaintext()).unwrap_err();

        assert_eq!(failure.code(), Code::InvalidArgument, "{target:?}: {failure}");
    }
}
