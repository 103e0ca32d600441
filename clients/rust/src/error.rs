use std::collections::HashMap;
use std::error::Error as StdError;
use std::fmt;
use std::iter::successors;
use std::time::Duration;

use tonic::{Code, Status, TimeoutExpired};
use tonic_types::StatusExt;

use crate::v1::ErrorReason;

type Cause = dyn StdError + 'static;

const DOMAIN: &str = "sessiontools";
const REASON_PREFIX: &str = "ERROR_REASON_";

/// Why a call failed.
#[derive(Clone, Debug)]
pub struct Error(Box<Parts>);

#[derive(Clone, Debug)]
struct Parts {
    code: Code,
    reason: String,
    message: String,
    metadata: HashMap<String, String>,
    fields: Vec<FieldProblem>,
    retry_after: Option<Duration>,
    status: Status,
}

/// One wrong field of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldProblem {
    /// The name of the field, with a path when it is nested.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}

impl Error {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Status::new(code, message).into()
    }

    /// The status code of gRPC.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The name of an [`ErrorReason`] without its prefix, such as `LEASE_LOST`; see [`has_reason`](Self::has_reason).
    /// Empty when the error is not the service's own, as when it cannot be reached.
    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    /// Whether this is a refusal for that reason.
    pub fn has_reason(&self, reason: ErrorReason) -> bool {
        reason.as_str_name().strip_prefix(REASON_PREFIX) == Some(self.reason())
    }

    /// A sentence for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Names what was refused; the comments of [`ErrorReason`] tell the names.
    pub fn metadata(&self) -> &HashMap<String, String> {
        &self.0.metadata
    }

    /// The wrong fields of the request.
    pub fn fields(&self) -> &[FieldProblem] {
        &self.0.fields
    }

    /// When to try again at the earliest, where the server said so.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Whether the same call may succeed in a while. The caller's own deadline looks like that of a server which went
    /// away; whoever asks is bounded by it.
    pub(crate) fn is_temporary(&self) -> bool {
        match self.code() {
            Code::Unavailable | Code::Cancelled | Code::DeadlineExceeded => true,
            Code::ResourceExhausted => self.retry_after().is_some(),
            Code::Internal => self.is_reset(),
            _ => false,
        }
    }

    /// Tells a reset of the connection from a fault of the server, which has a reason, and from a message that cannot
    /// be decoded. The latter two stay as they are.
    fn is_reset(&self) -> bool {
        self.reason().is_empty() && !self.message().starts_with("failed to decode Protobuf message")
    }
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        let details = status.get_error_details();
        let own = details.error_info().filter(|info| info.domain == DOMAIN);
        let fields = details.bad_request().map(|bad| &bad.field_violations[..]).unwrap_or_default();
        Self(Box::new(Parts {
            code: code_of(&status),
            reason: own.map(|info| bare(&info.reason)).unwrap_or_default(),
            message: message_of(&status),
            metadata: own.map(|info| info.metadata.clone()).unwrap_or_default(),
            fields: fields.iter().map(FieldProblem::from).collect(),
            retry_after: details.retry_info().and_then(|info| info.retry_delay),
            status,
        }))
    }
}

impl From<&tonic_types::FieldViolation> for FieldProblem {
    fn from(violation: &tonic_types::FieldViolation) -> Self {
        Self { field: violation.field.clone(), problem: violation.description.clone() }
    }
}

fn bare(reason: &str) -> String {
    reason.strip_prefix(REASON_PREFIX).unwrap_or(reason).to_owned()
}

/// What breaks beneath a call, other gRPCs tell as UNAVAILABLE. tonic tells it as UNKNOWN, CANCELLED or INTERNAL, and
/// which of them depends on its features; but only then does a status have a source.
fn code_of(status: &Status) -> Code {
    match status.source() {
        Some(source) if has_timed_out(source) => Code::DeadlineExceeded,
        Some(_) => Code::Unavailable,
        None if is_truncated(status) => Code::Unavailable,
        None => status.code(),
    }
}

fn has_timed_out(source: &Cause) -> bool {
    chain_of(source).any(|error| error.is::<TimeoutExpired>())
}

/// A stream that was reset with CANCEL or NO_ERROR looks to tonic like one that ended without its trailers.
fn is_truncated(status: &Status) -> bool {
    status.code() == Code::Unknown && status.message().contains("missing grpc-status trailer")
}

fn message_of(status: &Status) -> String {
    match status.source() {
        Some(source) => text_of(source),
        None => status.message().to_owned(),
    }
}

/// An error with what caused it: that a connection failed is said by the outermost, and why by the innermost.
pub(crate) fn text_of(error: &Cause) -> String {
    let mut texts: Vec<String> = chain_of(error).map(ToString::to_string).collect();
    texts.dedup();
    texts.join(": ")
}

fn chain_of<'a>(error: &'a Cause) -> impl Iterator<Item = &'a Cause> {
    successors(Some(error), |&error: &&'a Cause| error.source())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason() {
            "" => write!(f, "{:?}: {}", self.code(), self.message()),
            reason => write!(f, "{reason}: {}", self.message()),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&Cause> {
        self.0.status.source()
    }
}
