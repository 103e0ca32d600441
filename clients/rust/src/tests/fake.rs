//! A server in this process that plays scripts. It is made of h2 and not of tonic's server, since it is to cut and to
//! reset too, and since tonic tells errors differently once the features of its server are on.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use super::fake_calls::{Call, Script, play, received};
use crate::pauses::{Pause, Sleep};
use crate::{Client, Options};

/// Plays one script for each call, the last one for ever, and notes the calls.
pub(crate) struct Fake {
    pub(crate) address: String,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

struct Shared {
    scripts: Mutex<VecDeque<Script>>,
    calls: watch::Sender<Vec<Call>>,
    cuts: watch::Sender<usize>,
}

impl Fake {
    pub(crate) async fn start(scripts: impl IntoIterator<Item = Script>) -> Self {
        Self::start_with(None, scripts).await
    }

    pub(crate) async fn start_with(tls: Option<TlsAcceptor>, scripts: impl IntoIterator<Item = Script>) -> Self {
        let shared = Arc::new(Shared {
            scripts: Mutex::new(scripts.into_iter().collect()),
            calls: watch::Sender::default(),
            cuts: watch::Sender::new(0),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let serving = tokio::spawn(serve(listener, tls, shared.clone()));
        Self { address, shared, serving }
    }

    /// A client of this server, which does not pause but notes for how long it would have.
    pub(crate) fn client(&self) -> (Client, Slept) {
        let mut client = Client::connect(&self.address, Options::new().plaintext()).unwrap();
        let slept = Slept::default();
        client.sleep = slept.sleep();
        (client, slept)
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.shared.calls.borrow().clone()
    }

    /// Waits for the first call.
    pub(crate) async fn called(&self) {
        self.shared.calls.subscribe().wait_for(|calls| !calls.is_empty()).await.unwrap();
    }

    /// Ends every connection at once, without a word.
    pub(crate) fn cut(&self) {
        self.shared.cuts.send_modify(|cuts| *cuts += 1);
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.serving.abort();
        self.cut();
    }
}

impl Shared {
    fn next_script(&self) -> Script {
        let mut scripts = self.scripts.lock().unwrap();
        match scripts.len() {
            1 => scripts[0].clone(),
            _ => scripts.pop_front().expect("a script"),
        }
    }
}

async fn serve(listener: TcpListener, tls: Option<TlsAcceptor>, shared: Arc<Shared>) {
    loop {
        let (socket, _) = listener.accept().await.unwrap();
        let (tls, shared) = (tls.clone(), shared.clone());
        tokio::spawn(async move {
            let Some(tls) = tls else {
                return serve_one(socket, shared).await;
            };
            // A client that does not trust the server, or is not trusted by it, is gone by now.
            if let Ok(secured) = tls.accept(socket).await {
                serve_one(secured, shared).await;
            }
        });
    }
}

async fn serve_one(socket: impl AsyncRead + AsyncWrite + Unpin, shared: Arc<Shared>) {
    let mut cuts = shared.cuts.subscribe();
    let Ok(mut connection) = h2::server::handshake(socket).await else {
        return;
    };
    loop {
        tokio::select! {
            _ = cuts.changed() => return,
            accepted = connection.accept() => {
                let Some(Ok((request, respond))) = accepted else { return };
                tokio::spawn(answer(request, respond, shared.clone()));
            }
        }
    }
}

async fn answer(
    request: http::Request<h2::RecvStream>,
    respond: h2::server::SendResponse<bytes::Bytes>,
    shared: Arc<Shared>,
) {
    let call = received(request).await;
    shared.calls.send_modify(|calls| calls.push(call));
    play(shared.next_script(), respond).await;
}

/// Notes pauses instead of making them.
#[derive(Clone, Default)]
pub(crate) struct Slept(Arc<Mutex<Vec<Pause>>>);

impl Slept {
    pub(crate) fn pauses(&self) -> Vec<Pause> {
        self.0.lock().unwrap().clone()
    }

    fn sleep(&self) -> Sleep {
        let pauses = self.0.clone();
        Sleep(Arc::new(move |pause| {
            pauses.lock().unwrap().push(pause);
            Box::pin(std::future::ready(()))
        }))
    }
}
