use std::time::Duration;

use tonic::Code;
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};

use crate::credentials::Credentials;
use crate::error::{Error, text_of};

/// tonic connects again with the next call, without a pause of its own, so only a server that does not answer at all
/// could hold calls up.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How [`Client::connect`](crate::Client::connect) makes a client: with TLS and without credentials, unless told
/// otherwise.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) credentials: Credentials,
    is_plaintext: bool,
    tls: Option<ClientTlsConfig>,
}

impl Options {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sends a bearer token with every call. Over [`plaintext`](Self::plaintext) it can be read on the way.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.credentials.token = token.into();
        self
    }

    /// Acts as a session in every call. [`Client::acting_as`](crate::Client::acting_as) does so for some.
    pub fn acting_session(mut self, session_key: impl Into<String>) -> Self {
        self.credentials.acting_session = session_key.into();
        self
    }

    /// Connects without TLS, as to a server on the same machine.
    pub fn plaintext(mut self) -> Self {
        self.is_plaintext = true;
        self
    }

    /// Connects with this configuration: your own certificate authorities, or a certificate of the client. Without it,
    /// the authorities of the system are trusted.
    pub fn tls(mut self, config: ClientTlsConfig) -> Self {
        self.tls = Some(config);
        self
    }

    pub(crate) fn channel(self, target: &str) -> Result<Channel, Error> {
        let wrong = |why| Error::new(Code::InvalidArgument, format!("cannot connect to {target:?}: {why}"));
        let endpoint = self.endpoint(target).map_err(|cause| wrong(text_of(&cause)))?;
        if endpoint.uri().path() != "/" {
            return Err(wrong("a target is HOST:PORT".to_owned()));
        }
        Ok(endpoint.connect_lazy())
    }

    fn endpoint(self, target: &str) -> Result<Endpoint, tonic::transport::Error> {
        let endpoint = Endpoint::from_shared(uri_of(target, self.is_plaintext))?
            .connect_timeout(CONNECT_TIMEOUT)
            // A server that vanished is noticed within 30 s, also by a wait that is silent.
            .http2_keep_alive_interval(Duration::from_secs(20))
            .keep_alive_timeout(Duration::from_secs(10))
            .keep_alive_while_idle(true);
        if self.is_plaintext {
            return Ok(endpoint);
        }
        let tls = self.tls.unwrap_or_else(|| ClientTlsConfig::new().with_native_roots());
        endpoint.tls_config(tls.timeout(CONNECT_TIMEOUT))
    }
}

/// Targets are written as for gRPC in every other language.
fn uri_of(target: &str, is_plaintext: bool) -> String {
    if target.starts_with("unix:") {
        return target.to_owned();
    }
    let scheme = if is_plaintext { "http" } else { "https" };
    format!("{scheme}://{}", target.strip_prefix("dns:///").unwrap_or(target))
}
