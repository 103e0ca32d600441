use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use prost::Message;
use serde_json::{Value, json};
use sessiontools::{Client, Options, v1};

use crate::answers::{answer, told};
use crate::methods::call;
use crate::waits::Wait;

/// Does what the commands say, side by side.
#[derive(Default)]
pub struct Driver {
    client: RefCell<Option<Client>>,
    waits: RefCell<HashMap<String, Rc<Wait>>>,
}

impl Driver {
    pub async fn obey(&self, command: Value) {
        match text(&command, "op") {
            "dial" => self.dial(&command),
            "call" => self.call(&command).await,
            "stream" => self.stream(&command).await,
            "wait" => self.wait(&command),
            "next" => self.waiting(&command).next(&command).await,
            "cancel" => self.waiting(&command).cancel(&command).await,
            other => panic!("unknown command {other:?}"),
        }
    }

    fn dial(&self, command: &Value) {
        let (token, acting_session) = (text(command, "token"), text(command, "acting_session"));
        let options = Options::new().plaintext().token(token).acting_session(acting_session);
        let client = Client::connect(text(command, "target"), options).expect("a target");
        self.client.replace(Some(client));
        answer(command, "done", json!(true));
    }

    async fn call(&self, command: &Value) {
        match call(&self.client_for(command), text(command, "method"), &request(command)).await {
            Ok(response) => answer(command, "response", json!(BASE64_STANDARD.encode(response))),
            Err(error) => answer(command, "error", told(&error)),
        }
    }

    async fn stream(&self, command: &Value) {
        let request = v1::WaitRunsRequest::decode(&request(command)[..]).expect("a WaitRunsRequest");
        let mut events = self.client_for(command).wait_runs(request);
        while let Some(event) = events.next().await {
            match event {
                Ok(event) => answer(command, "event", json!(BASE64_STANDARD.encode(event.encode_to_vec()))),
                Err(error) => return answer(command, "error", told(&error)),
            }
        }
        answer(command, "done", json!(true));
    }

    fn wait(&self, command: &Value) {
        let request = v1::WaitRunRequest::decode(&request(command)[..]).expect("a WaitRunRequest");
        let events = self.client_for(command).wait_run(request);
        self.waits.borrow_mut().insert(command["id"].to_string(), Rc::new(Wait::new(events)));
        answer(command, "done", json!(true));
    }

    fn waiting(&self, command: &Value) -> Rc<Wait> {
        self.waits.borrow().get(&command["wait"].to_string()).expect("a wait of this id").clone()
    }

    /// The client, with what the command says about this one call.
    fn client_for(&self, command: &Value) -> Client {
        let mut client = self.client.borrow().clone().expect("dialed before");
        if let Some(token) = command["token"].as_str() {
            client = client.with_token(token);
        }
        if let Some(session_key) = command["acting_session"].as_str() {
            client = client.acting_as(session_key);
        }
        if let Some(seconds) = command["deadline_seconds"].as_f64() {
            client = client.with_timeout(Duration::from_secs_f64(seconds));
        }
        client
    }
}

fn text<'a>(command: &'a Value, name: &str) -> &'a str {
    command[name].as_str().unwrap_or_else(|| panic!("{name} is missing in {command}"))
}

fn request(command: &Value) -> Vec<u8> {
    BASE64_STANDARD.decode(text(command, "request")).expect("base64")
}
