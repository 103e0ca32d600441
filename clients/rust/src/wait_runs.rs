use futures_util::stream::{self, Stream, TryStreamExt};
use tonic::Streaming;

use crate::client::Client;
use crate::deadline::Deadline;
use crate::error::Error;
use crate::events::Events;
use crate::pauses::Pauses;
use crate::retry;
use crate::v1::{WaitRunsRequest, WaitRunsResponse};

impl Client {
    /// Follows up to 100 runs in one stream, each as [`wait_run`](Client::wait_run) does, until one or all of them are
    /// there. A stream that is cut is not resumed: call again, with the last cursor of each run.
    pub fn wait_runs(&self, request: WaitRunsRequest) -> Events<WaitRunsResponse> {
        let (client, deadline) = (self.clone(), Deadline::after(self.timeout));
        let opened = async move {
            let stream = deadline.bound(client.open_runs(request, deadline)).await?;
            Ok::<_, Error>(messages(stream, deadline))
        };
        Events::new(stream::once(opened).try_flatten())
    }

    async fn open_runs(
        &self,
        request: WaitRunsRequest,
        deadline: Deadline,
    ) -> Result<Streaming<WaitRunsResponse>, Error> {
        let attempt = || async {
            let mut service = self.session_tools();
            Ok(service.wait_runs(deadline.request(request.clone())).await?.into_inner())
        };
        retry::repeat(Pauses::new(&self.sleep), attempt).await
    }
}

fn messages<T: Send + 'static>(
    stream: Streaming<T>,
    deadline: Deadline,
) -> impl Stream<Item = Result<T, Error>> + Send {
    stream::try_unfold(stream, move |mut stream| async move {
        let message = deadline.bound(async { Ok(stream.message().await?) }).await?;
        Ok(message.map(|message| (message, stream)))
    })
}
