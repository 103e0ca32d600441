use tonic::Code;

use super::fake::Fake;
use super::fake_calls::answers_empty;
use crate::v1::{AgentsListRequest, WaitRunRequest};
use crate::{Client, Options};

#[tokio::test]
async fn credentials_go_with_every_call() {
    let fake = Fake::start([answers_empty()]).await;
    let options = Options::new().plaintext().token("secret").acting_session("main");
    let owner = Client::connect(&fake.address, options).unwrap();
    let cases = [
        (owner.clone(), Some("Bearer secret"), Some("main")),
        (owner.acting_as("cron:1"), Some("Bearer secret"), Some("cron:1")),
        (owner.with_token("run token"), Some("Bearer run token"), None),
        (owner.with_token(""), None, None),
    ];
    for (client, token, acting_session) in cases {
        client.agents_list(AgentsListRequest::default()).await.unwrap();
        client.wait_run(WaitRunRequest::default()).next().await.unwrap().unwrap();

        for call in &fake.calls()[fake.calls().len() - 2..] {
            assert_eq!(call.header("authorization"), token);
            assert_eq!(call.header("acting-session"), acting_session);
        }
    }
}

#[tokio::test]
async fn a_token_that_cannot_be_sent_is_refused_by_every_call() {
    let fake = Fake::start([answers_empty()]).await;
    let client = fake.client().0.with_token("two\nlines");

    let calling = client.agents_list(AgentsListRequest::default()).await.unwrap_err();
    let waiting = client.wait_run(WaitRunRequest::default()).next().await.unwrap().unwrap_err();

    assert_eq!(calling.code(), Code::InvalidArgument);
    assert_eq!(waiting.code(), Code::InvalidArgument);
    assert!(fake.calls().is_empty());
}

#[tokio::test]
async fn a_client_that_is_printed_keeps_its_token_to_itself() {
    let options = Options::new().plaintext().token("secret");
    let client = Client::connect("localhost:1", options.clone()).unwrap();

    assert!(!format!("{options:?} {client:?}").contains("secret"));
}
