//! The methods are listed by hand; here the list is compared with what is generated from the contract.

use super::fake::Fake;
use super::fake_calls::answers_empty;
use crate::calls::{IDENTIFIED, METHODS};
use crate::v1;

const MESSAGES: &str = include_str!("../gen/sessiontools/v1/sessiontools.v1.rs");
const SERVICES: &str = include_str!("../gen/sessiontools/v1/sessiontools.v1.tonic.rs");

/// What follows each occurrence of a text, up to a character.
fn after<'a>(source: &'a str, text: &str, end: char) -> Vec<&'a str> {
    source.split(text).skip(1).map(|rest| rest.split(end).next().unwrap()).collect()
}

#[test]
fn every_method_of_the_contract_is_there() {
    let clients: Vec<&str> = SERVICES.split("/// Generated ").filter(|part| part.starts_with("client")).collect();
    let mut generated = after(&clients.concat(), "pub async fn ", '(')
        .into_iter()
        .map(str::to_owned)
        .filter(|method| !method.starts_with("connect"))
        .collect::<Vec<_>>();
    let mut written = [METHODS, &["wait_run", "wait_runs"]].concat();
    generated.sort();
    written.sort();

    assert_eq!(clients.len(), 3);
    assert_eq!(written, generated);
}

#[test]
fn every_request_with_a_request_id_has_it_filled_in() {
    let mut generated: Vec<(&str, &str)> = MESSAGES
        .split("pub struct ")
        .skip(1)
        .filter(|text| text.split("\n}").next().unwrap().contains("pub request_id: ::prost::alloc::string::String"))
        .map(|text| (text.split(' ').next().unwrap(), "request_id"))
        .filter(|(message, _)| message.ends_with("Request"))
        .collect();
    let mut written = IDENTIFIED.to_vec();
    generated.sort();
    written.sort();

    assert!(!generated.is_empty());
    assert_eq!(written, generated);
}

#[tokio::test]
async fn the_methods_of_each_service_reach_it() {
    let fake = Fake::start([answers_empty()]).await;
    let (client, _) = fake.client();

    client.sessions_spawn(v1::SessionsSpawnRequest::default()).await.unwrap();
    client.chat_send(v1::ChatSendRequest::default()).await.unwrap();
    client.acquire_runs(v1::AcquireRunsRequest::default()).await.unwrap();

    let paths: Vec<_> = fake.calls().into_iter().map(|call| call.path).collect();
    assert_eq!(
        paths,
        [
            "/sessiontools.v1.SessionToolsService/SessionsSpawn",
            "/sessiontools.v1.GatewayService/ChatSend",
            "/sessiontools.v1.RuntimeService/AcquireRuns",
        ]
    );
}
