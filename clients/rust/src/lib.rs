#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod calls;
mod client;
mod credentials;
mod deadline;
mod error;
mod events;
mod options;
mod pauses;
mod retry;
mod services;
mod wait_run;
mod wait_runs;

#[cfg(test)]
mod tests;

pub use client::Client;
pub use error::{Error, FieldProblem};
pub use events::Events;
pub use options::Options;
pub use tonic::Code;
pub use tonic::transport::{Certificate, Channel, ClientTlsConfig, Identity};

/// The contract `sessiontools.v1`, as generated: its messages, its enums, and the bare clients of its services.
#[allow(clippy::all, missing_docs, rustdoc::all)] // generated
pub mod v1 {
    include!("gen/sessiontools/v1/sessiontools.v1.rs");
}
