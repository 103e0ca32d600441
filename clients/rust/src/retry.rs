use std::time::Duration;

use tonic::Code;

use crate::error::Error;
use crate::pauses::Pauses;

const MAX_ATTEMPTS: usize = 5;

/// Makes a call until the server is there, a few times at most: what a service config says to other gRPCs and tonic has
/// not. Every method may be repeated: writes carry a request_id or a lease token.
pub(crate) async fn repeat<T, F>(mut pauses: Pauses, attempt: impl Fn() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    for _ in 1..MAX_ATTEMPTS {
        match attempt().await {
            Err(failure) if failure.code() == Code::Unavailable => {
                pauses.after_failure(Duration::ZERO).await;
            }
            answer => return answer,
        }
    }
    attempt().await
}
