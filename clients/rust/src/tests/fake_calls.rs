//! What one call brings to the fake server, and how it is answered.

use std::future::poll_fn;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use prost::Message;
use tokio::sync::Notify;
use tonic::Status;

/// The length of what stands before each message of gRPC.
const PREFIX_BYTES: usize = 5;

/// A call that the server has received.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) path: String,
    pub(crate) headers: http::HeaderMap,
    message: Vec<u8>,
}

impl Call {
    pub(crate) fn message<M: Message + Default>(&self) -> M {
        M::decode(&self.message[..]).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// What is sent before the end, and the end.
#[derive(Clone)]
pub(crate) struct Script {
    messages: Vec<Vec<u8>>,
    end: End,
}

#[derive(Clone)]
pub(crate) enum End {
    /// In the trailers, as every proper end.
    Told(Status),
    /// Without trailers.
    Untold,
    Reset(h2::Reason),
    /// When the test says so, which is when what was sent before has arrived.
    ResetOn(Arc<Notify>, h2::Reason),
    /// Nothing more; told when the client has left.
    Silence(Arc<Notify>),
}

pub(crate) fn sends<M: Message>(end: impl Into<End>, messages: impl IntoIterator<Item = M>) -> Script {
    let messages = messages.into_iter().map(|message| message.encode_to_vec()).collect();
    Script { messages, end: end.into() }
}

pub(crate) fn fails(end: impl Into<End>) -> Script {
    Script { messages: Vec::new(), end: end.into() }
}

/// One message, of any type, with nothing in it.
pub(crate) fn answers_empty() -> Script {
    sends(ok(), [()])
}

/// One message that is none.
pub(crate) fn answers_garbage() -> Script {
    Script { messages: vec![vec![0xff; 3]], end: ok().into() }
}

pub(crate) fn ok() -> Status {
    Status::ok("")
}

impl From<Status> for End {
    fn from(status: Status) -> Self {
        Self::Told(status)
    }
}

pub(crate) async fn received(request: http::Request<h2::RecvStream>) -> Call {
    let (head, mut body) = request.into_parts();
    let mut bytes = Vec::new();
    while let Some(Ok(piece)) = body.data().await {
        body.flow_control().release_capacity(piece.len()).unwrap();
        bytes.extend_from_slice(&piece);
    }
    Call { path: head.uri.path().to_owned(), headers: head.headers, message: bytes.split_off(PREFIX_BYTES) }
}

/// What cannot be sent any more is left out: the client has gone, as it may.
pub(crate) async fn play(script: Script, mut respond: h2::server::SendResponse<Bytes>) {
    let mut response = http::Response::builder().header("content-type", "application/grpc").body(()).unwrap();
    if let (End::Told(status), true) = (&script.end, script.messages.is_empty()) {
        status.add_header(response.headers_mut()).unwrap();
        let _ = respond.send_response(response, true);
        return;
    }
    if let Ok(mut stream) = respond.send_response(response, false) {
        for message in &script.messages {
            let _ = stream.send_data(framed(message), false);
        }
        finish(script.end, stream).await;
    }
}

async fn finish(end: End, mut stream: h2::SendStream<Bytes>) {
    match end {
        End::Told(status) => {
            let mut trailers = http::HeaderMap::new();
            status.add_header(&mut trailers).unwrap();
            let _ = stream.send_trailers(trailers);
        }
        End::Untold => {
            let _ = stream.send_data(Bytes::new(), true);
        }
        End::Reset(reason) => stream.send_reset(reason),
        End::ResetOn(signal, reason) => {
            signal.notified().await;
            stream.send_reset(reason);
        }
        End::Silence(left) => {
            let _ = poll_fn(|context| stream.poll_reset(context)).await;
            left.notify_one();
        }
    }
}

fn framed(message: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(PREFIX_BYTES + message.len());
    frame.put_u8(0); // not compressed
    frame.put_u32(message.len() as u32);
    frame.put_slice(message);
    frame.freeze()
}
