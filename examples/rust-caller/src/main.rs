//! A caller: sends a message to a session, and shows its run as it goes on, until it has ended.
//!
//! cargo run -- --server 127.0.0.1:50551 --session main "hello"

use std::error::Error;
use std::time::Duration;

use sessiontools::v1::wait_run_response::Event;
use sessiontools::v1::{ErrorReason, Run, SessionsSendRequest, WaitEnded, WaitRunRequest};
use sessiontools::{Client, Options};

const USAGE: &str =
    "usage: rust-caller [--server HOST:PORT] [--token TOKEN] [--session KEY] [--patience SECONDS] MESSAGE";

/// What the command line says.
struct Arguments {
    server: String,
    token: String,
    session_key: String,
    patience: Duration,
    message: String,
}

impl Arguments {
    fn parse(mut given: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut arguments = Self {
            server: "127.0.0.1:50551".into(),
            token: std::env::var("SESSIONTOOLS_TOKEN").unwrap_or_default(),
            session_key: "main".into(),
            patience: Duration::from_secs(300),
            message: String::new(),
        };
        while let Some(word) = given.next() {
            let mut value = || given.next().ok_or(USAGE);
            match word.as_str() {
                "--server" => arguments.server = value()?,
                "--token" => arguments.token = value()?,
                "--session" => arguments.session_key = value()?,
                "--patience" => arguments.patience = Duration::try_from_secs_f64(value()?.parse()?)?,
                _ => arguments.message = word,
            }
        }
        if arguments.message.is_empty() { Err(USAGE.into()) } else { Ok(arguments) }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    let options = Options::new().plaintext().token(&arguments.token);
    let client = Client::connect(&arguments.server, options)?;
    let Some(run_id) = send(&client, &arguments).await? else {
        return Err(format!("there is no session {}", arguments.session_key).into());
    };
    match follow(&client.with_timeout(arguments.patience), run_id).await? {
        Some(Run { reply: Some(reply), .. }) => println!("{reply}"),
        Some(run) => println!("no reply: {:?} {:?}", run.state(), run.failure),
        None => println!("no reply so far"),
    }
    Ok(())
}

/// Leaves the message and does not wait: the run goes on whatever becomes of this program. None without such a session.
async fn send(client: &Client, arguments: &Arguments) -> Result<Option<String>, sessiontools::Error> {
    let request = SessionsSendRequest {
        session_key: arguments.session_key.clone(),
        message: arguments.message.clone(),
        timeout_seconds: Some(0),
        ..Default::default()
    };
    match client.sessions_send(request).await {
        Ok(sent) => Ok(Some(sent.run_id)),
        Err(refusal) if refusal.has_reason(ErrorReason::SessionNotFound) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// Shows what happens, through cuts and restarts of the server, and gives the run as it is in the end.
async fn follow(client: &Client, run_id: String) -> Result<Option<Run>, sessiontools::Error> {
    let mut events = client.wait_run(WaitRunRequest { run_id, include_deltas: true, ..Default::default() });
    while let Some(event) = events.next().await {
        match event?.event {
            Some(Event::StateChanged(change)) => eprintln!("{:?} -> {:?}", change.from_state(), change.to_state()),
            Some(Event::OutputDelta(delta)) => eprintln!("... {}", delta.text),
            Some(Event::Ended(WaitEnded { run, .. })) => return Ok(run),
            _ => {} // a snapshot, a heartbeat, or what a later server may have
        }
    }
    Ok(None)
}
