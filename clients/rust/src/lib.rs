//! The Rust client of Session Tools; [`v1`] holds the generated contract.

/// The contract `sessiontools.v1`: messages, enums, and the clients of its services.
#[allow(clippy::all, missing_docs, rustdoc::all)] // generated
pub mod v1 {
    include!("gen/sessiontools/v1/sessiontools.v1.rs");
}
