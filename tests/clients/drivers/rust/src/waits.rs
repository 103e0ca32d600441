use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use prost::Message;
use serde_json::{Value, json};
use sessiontools::{Events, v1};
use tokio::sync::{Mutex, watch};

use crate::answers::{answer, cancelled, told};

/// One wait; no events when it was cancelled.
pub struct Wait {
    events: Mutex<Option<Events<v1::WaitRunResponse>>>,
    is_cancelled: watch::Sender<bool>,
}

/// What a take is told in the end, instead of a message.
type Ending = (&'static str, Value);

impl Wait {
    pub fn new(events: Events<v1::WaitRunResponse>) -> Self {
        Self { events: Mutex::new(Some(events)), is_cancelled: watch::Sender::new(false) }
    }

    pub async fn next(&self, command: &Value) {
        for _ in 0..command["count"].as_u64().unwrap_or(1) {
            match self.take().await {
                Ok(event) => answer(command, "event", json!(BASE64_STANDARD.encode(event.encode_to_vec()))),
                Err((name, value)) => return answer(command, name, value),
            }
        }
        answer(command, "done", json!(true));
    }

    async fn take(&self) -> Result<v1::WaitRunResponse, Ending> {
        let mut guard = self.events.lock().await;
        let mut is_cancelled = self.is_cancelled.subscribe();
        let Some(events) = guard.as_mut() else {
            return Err(("error", cancelled()));
        };
        tokio::select! {
            _ = is_cancelled.wait_for(|is_cancelled| *is_cancelled) => Err(("error", cancelled())),
            event = events.next() => match event {
                None => Err(("end", json!(true))),
                Some(Ok(event)) => Ok(event),
                Some(Err(error)) => Err(("error", told(&error))),
            },
        }
    }

    /// Drops the events, as a caller would, once a take under way has noticed.
    pub async fn cancel(&self, command: &Value) {
        self.is_cancelled.send_replace(true);
        self.events.lock().await.take();
        answer(command, "done", json!(true));
    }
}
