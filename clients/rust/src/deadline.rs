use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use tonic::{Code, Request};

use crate::error::Error;

/// What ends later is not a deadline, and gRPC could not even write it.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// When the caller wants no answer any more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    pub(crate) fn after(timeout: Option<Duration>) -> Self {
        let bounded = timeout.filter(|timeout| *timeout < FOREVER);
        Self(bounded.map(|timeout| Instant::now() + timeout))
    }

    /// A request that tells the server how much time it has.
    pub(crate) fn request<T>(self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        if let Some(at) = self.0 {
            request.set_timeout(at.saturating_duration_since(Instant::now()));
        }
        request
    }

    /// Does work, and gives up at the deadline whatever it is doing.
    pub(crate) async fn bound<T>(self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let Some(at) = self.0 else {
            return work.await;
        };
        match timeout_at(at, work).await {
            Ok(done) => done,
            Err(_) => Err(Error::new(Code::DeadlineExceeded, "the time for the call is over")),
        }
    }
}
