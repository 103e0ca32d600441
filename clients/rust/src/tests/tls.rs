use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};
use tonic::Code;

use super::fake::Fake;
use super::fake_calls::answers_empty;
use crate::v1::AgentsListRequest;
use crate::{Certificate, Client, ClientTlsConfig, Error, Identity, Options};

/// A certificate for localhost that is its own authority, and its key, in a folder that goes with them.
struct Pems(PathBuf);

impl Pems {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("sessiontools-{}", uuid::Uuid::new_v4()));
        std::fs::create_dir(&folder).unwrap();
        let made = Command::new("openssl")
            .args("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2".split(' '))
            .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout", "key.pem", "-out", "cert.pem"])
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Self(folder)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }

    fn certificate(&self) -> CertificateDer<'static> {
        CertificateDer::from_pem_slice(&self.read("cert.pem")).unwrap()
    }

    fn identity(&self) -> Identity {
        Identity::from_pem(self.read("cert.pem"), self.read("key.pem"))
    }

    fn authority(&self) -> Certificate {
        Certificate::from_pem(self.read("cert.pem"))
    }
}

impl Drop for Pems {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// A server with this certificate, for clients with that one.
async fn start(server: &Pems, client: &Pems) -> Fake {
    let mut roots = RootCertStore::empty();
    roots.add(client.certificate()).unwrap();
    let provider = Arc::new(default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone()).build().unwrap();
    let key = PrivateKeyDer::from_pem_slice(&server.read("key.pem")).unwrap();
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![server.certificate()], key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    Fake::start_with(Some(TlsAcceptor::from(Arc::new(config))), [answers_empty()]).await
}

async fn call(fake: &Fake, tls: ClientTlsConfig) -> Result<(), Error> {
    let mut client = Client::connect(&fake.address, Options::new().tls(tls))?;
    client.sleep = fake.client().0.sleep;
    client.agents_list(AgentsListRequest::default()).await.map(drop)
}

#[tokio::test]
async fn an_authority_and_a_certificate_of_ones_own_are_used() {
    let (server, client) = (Pems::new(), Pems::new());
    let fake = start(&server, &client).await;
    let trusting = ClientTlsConfig::new().ca_certificate(server.authority());

    let known = call(&fake, trusting.clone().identity(client.identity())).await;
    let unknown = call(&fake, trusting.identity(server.identity())).await;

    assert!(known.is_ok(), "{known:?}");
    assert_eq!(unknown.unwrap_err().code(), Code::Unavailable);
}

#[tokio::test]
async fn a_server_that_nobody_vouches_for_is_not_called() {
    let (server, client) = (Pems::new(), Pems::new());
    let fake = start(&server, &client).await;
    let trusting_others = ClientTlsConfig::new().ca_certificate(client.authority());

    let failure = call(&fake, trusting_others.identity(client.identity())).await.unwrap_err();

    assert_eq!(failure.code(), Code::Unavailable);
    assert!(failure.message().contains("certificate"), "{failure}");
    assert!(fake.calls().is_empty());
}

#[tokio::test]
async fn without_options_the_authorities_of_the_system_are_trusted() {
    let (server, client) = (Pems::new(), Pems::new());
    let fake = start(&server, &client).await;
    let mut caller = Client::connect(&fake.address, Options::new()).unwrap();
    caller.sleep = fake.client().0.sleep;

    let failure = caller.agents_list(AgentsListRequest::default()).await.unwrap_err();

    assert!(failure.message().contains("invalid peer certificate"), "{failure}");
}
