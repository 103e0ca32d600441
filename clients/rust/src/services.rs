use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;

use crate::client::Client;
use crate::credentials::Credentials;
use crate::v1::gateway_service_client::GatewayServiceClient;
use crate::v1::runtime_service_client::RuntimeServiceClient;
use crate::v1::session_tools_service_client::SessionToolsServiceClient;

const MEBIBYTE: usize = 1 << 20;
/// The server takes requests up to this size.
pub(crate) const MAX_SEND_BYTES: usize = 4 * MEBIBYTE;
/// The server's answers are smaller; a later one may send more.
const MAX_RECEIVE_BYTES: usize = 16 * MEBIBYTE;

type Connection = InterceptedService<Channel, Credentials>;

/// The generated clients, over the connection and with the credentials of this one.
impl Client {
    pub(crate) fn session_tools(&self) -> SessionToolsServiceClient<Connection> {
        SessionToolsServiceClient::new(self.connection()).max_decoding_message_size(MAX_RECEIVE_BYTES)
    }

    pub(crate) fn gateway(&self) -> GatewayServiceClient<Connection> {
        GatewayServiceClient::new(self.connection()).max_decoding_message_size(MAX_RECEIVE_BYTES)
    }

    pub(crate) fn runtime(&self) -> RuntimeServiceClient<Connection> {
        RuntimeServiceClient::new(self.connection()).max_decoding_message_size(MAX_RECEIVE_BYTES)
    }

    fn connection(&self) -> Connection {
        InterceptedService::new(self.channel.clone(), self.credentials.clone())
    }
}
