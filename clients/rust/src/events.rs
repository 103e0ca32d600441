use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::stream::{BoxStream, Stream, StreamExt};

use crate::error::Error;

/// What a wait brings, as a [`Stream`]; an error is the last thing in it. Nothing is asked of the server before the
/// first message is taken. Dropping it ends the wait.
#[must_use = "nothing is asked of the server before the first message is taken"]
pub struct Events<T>(BoxStream<'static, Result<T, Error>>);

impl<T: 'static> Events<T> {
    pub(crate) fn new(stream: impl Stream<Item = Result<T, Error>> + Send + 'static) -> Self {
        Self(stream.fuse().boxed())
    }

    /// The next message; `None` after the last. A call that is given up loses nothing.
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        self.0.next().await
    }
}

impl<T> Stream for Events<T> {
    type Item = Result<T, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next_unpin(context)
    }
}

impl<T> fmt::Debug for Events<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Events")
    }
}
