use std::time::Duration;

use futures_util::stream;
use tokio::time::Instant;
use tonic::{Code, Streaming};

use crate::client::Client;
use crate::deadline::Deadline;
use crate::error::Error;
use crate::events::Events;
use crate::pauses::Pauses;
use crate::v1::wait_run_response::Event;
use crate::v1::{EndReason, WaitRunRequest, WaitRunResponse};

impl Client {
    /// Follows a run: one snapshot, every event in order without gap or repeat, heartbeats, and last `ended`.
    ///
    /// ```no_run
    /// # async fn follow(client: sessiontools::Client, run_id: String) -> Result<(), sessiontools::Error> {
    /// # use sessiontools::v1;
    /// let mut events = client.wait_run(v1::WaitRunRequest { run_id, ..Default::default() });
    /// while let Some(event) = events.next().await {
    ///     println!("{:?}", event?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// When the connection is cut, or the server ends the stream before the run is over, it opens another one from the
    /// last cursor, as often as it has to. What the caller sees is one stream: the snapshots and ends in between are
    /// left out. It goes on until the run is over, `max_wait_seconds` or the time of
    /// [`with_timeout`](Client::with_timeout) have passed, the server refuses, or it is dropped.
    pub fn wait_run(&self, request: WaitRunRequest) -> Events<WaitRunResponse> {
        let following = Following::new(self, request);
        Events::new(stream::unfold(following, |mut following| async move {
            let event = following.next().await?;
            Some((event, following))
        }))
    }
}

/// One wait, over as many streams as it takes.
pub(crate) struct Following {
    client: Client,
    /// Of the next stream.
    pub(crate) request: WaitRunRequest,
    stream: Option<Streaming<WaitRunResponse>>,
    /// When `max_wait_seconds` have passed.
    pub(crate) until: Option<Instant>,
    deadline: Deadline,
    pauses: Pauses,
    has_begun: bool,
    is_over: bool,
}

impl Following {
    pub(crate) fn new(client: &Client, request: WaitRunRequest) -> Self {
        let max_wait = request.max_wait_seconds.map(u64::from).map(Duration::from_secs);
        Self {
            client: client.clone(),
            request,
            stream: None,
            until: max_wait.map(|max_wait| Instant::now() + max_wait),
            deadline: Deadline::after(client.timeout),
            pauses: Pauses::new(&client.sleep),
            has_begun: false,
            is_over: false,
        }
    }

    /// The next message that the caller is to see.
    async fn next(&mut self) -> Option<Result<WaitRunResponse, Error>> {
        if self.is_over {
            return None;
        }
        let deadline = self.deadline;
        let told = deadline.bound(self.tell()).await;
        let goes_on = matches!(&told, Ok(message) if !is_end(message));
        if !goes_on {
            self.is_over = true;
            self.stream = None; // also when the caller keeps what is left of the wait
        }
        Some(told)
    }

    async fn tell(&mut self) -> Result<WaitRunResponse, Error> {
        loop {
            match self.receive().await {
                Ok(message) if self.is_news(&message) => return Ok(message),
                Ok(_) => {}
                Err(cut) if cut.is_temporary() => self.prepare_another(&cut).await,
                Err(refusal) => return Err(refusal),
            }
        }
    }

    /// A message of the stream, which is opened if need be; an error when the stream is over before the wait is.
    async fn receive(&mut self) -> Result<WaitRunResponse, Error> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let request = self.deadline.request(self.request.clone());
                let opened = self.client.session_tools().wait_run(request).await?;
                self.stream.insert(opened.into_inner())
            }
        };
        let message = stream.message().await?.ok_or_else(cut)?;
        self.request.cursor.clone_from(&message.cursor);
        if is_end(&message) && !is_last(&message) {
            return Err(cut());
        }
        Ok(message)
    }

    /// Whether the caller is to see a message: of the snapshots only the first.
    fn is_news(&mut self, message: &WaitRunResponse) -> bool {
        match message.event {
            Some(Event::Snapshot(_)) => !std::mem::replace(&mut self.has_begun, true),
            _ => {
                self.pauses.reset(); // a server that fails again and again has no news
                true
            }
        }
    }

    async fn prepare_another(&mut self, cut: &Error) {
        self.stream = None;
        self.pauses.after_failure(cut.retry_after().unwrap_or_default()).await;
        self.shorten_max_wait();
    }

    /// Takes off what the streams before have used. At 0 the server tells what there is and ends.
    pub(crate) fn shorten_max_wait(&mut self) {
        if let Some(until) = self.until {
            let left = until.saturating_duration_since(Instant::now()).as_secs_f64().round();
            self.request.max_wait_seconds = Some(left as u32);
        }
    }
}

/// A stream that stopped, properly or not, before the wait was over.
fn cut() -> Error {
    Error::new(Code::Unavailable, "the stream ended before the wait was over")
}

fn is_end(message: &WaitRunResponse) -> bool {
    matches!(message.event, Some(Event::Ended(_)))
}

/// Whether the wait ends with this message, and not only its stream: by age, a drain, a deadline, or what a later
/// server may have.
fn is_last(message: &WaitRunResponse) -> bool {
    matches!(&message.event, Some(Event::Ended(ended)) if matches!(
        ended.reason(),
        EndReason::RunTerminal | EndReason::Settled | EndReason::MaxWait
    ))
}
