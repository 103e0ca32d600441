use std::fmt;

use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Request, Status};

/// Say who calls, with every call.
#[derive(Clone, Default)]
pub(crate) struct Credentials {
    pub(crate) token: String,
    pub(crate) acting_session: String,
}

impl Interceptor for Credentials {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if !self.token.is_empty() {
            let mut bearer = value("token", &format!("Bearer {}", self.token))?;
            bearer.set_sensitive(true); // neither printed nor kept by HTTP/2's compression
            request.metadata_mut().insert("authorization", bearer);
        }
        if !self.acting_session.is_empty() {
            let key = value("acting session", &self.acting_session)?;
            request.metadata_mut().insert("acting-session", key);
        }
        Ok(request)
    }
}

fn value(name: &str, text: &str) -> Result<MetadataValue<Ascii>, Status> {
    text.parse().map_err(|_| Status::invalid_argument(format!("the {name} cannot be sent as metadata")))
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("has_token", &!self.token.is_empty())
            .field("acting_session", &self.acting_session)
            .finish()
    }
}
