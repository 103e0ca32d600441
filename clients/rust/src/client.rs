use std::time::Duration;

use tonic::transport::Channel;

use crate::credentials::Credentials;
use crate::error::Error;
use crate::options::Options;
use crate::pauses::Sleep;

/// Calls a server. A clone shares the connection and costs little; one connection per program is enough.
#[derive(Clone, Debug)]
pub struct Client {
    pub(crate) channel: Channel,
    pub(crate) credentials: Credentials,
    pub(crate) timeout: Option<Duration>,
    pub(crate) sleep: Sleep,
}

impl Client {
    /// Makes a client for a server, such as `localhost:50551` or `dns:///tools.example:443`. It connects when the first
    /// call needs it, with TLS unless the options say otherwise, and connects again as often as it has to. Fails only
    /// when the target or the options make no sense.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime.
    pub fn connect(target: &str, options: Options) -> Result<Self, Error> {
        let credentials = options.credentials.clone();
        Ok(Self::over(options.channel(target)?, credentials))
    }

    fn over(channel: Channel, credentials: Credentials) -> Self {
        Self { channel, credentials, timeout: None, sleep: Sleep::default() }
    }

    /// Gives a client that acts as a session, over the same connection. Owners and gateways may do so.
    pub fn acting_as(&self, session_key: impl Into<String>) -> Self {
        let mut client = self.clone();
        client.credentials.acting_session = session_key.into();
        client
    }

    /// Gives a client with another token, over the same connection. With the run token of a run, it is the agent of
    /// that run.
    pub fn with_token(&self, token: impl Into<String>) -> Self {
        let credentials = Credentials { token: token.into(), acting_session: String::new() };
        Self { credentials, ..self.clone() }
    }

    /// Gives a client each of whose calls, or waits as a whole, has this much time, over the same connection. Then it
    /// fails with [`Code::DeadlineExceeded`](crate::Code::DeadlineExceeded). The server is told of it.
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self.clone() }
    }
}
