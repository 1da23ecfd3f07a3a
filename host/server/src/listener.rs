//! Takes an address, before there is anything to serve on it.

use std::io;
use std::net::SocketAddr;

use tokio::net::TcpListener;

/// Why a server does not listen.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The address can be reached from other machines.
    #[error(
        "{address} can be reached from other machines, and what is sent there is not encrypted; \
         use a loopback address such as 127.0.0.1:{}", address.port()
    )]
    NotLoopback {
        /// The address.
        address: SocketAddr,
    },
    /// Somebody listens there already.
    #[error("{address} is in use; stop what listens there, or choose another port")]
    InUse {
        /// The address.
        address: SocketAddr,
    },
    /// The system does not let us.
    #[error("cannot listen on {address}: {source}")]
    System {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
}

/// A loopback address that is taken. Connections wait until somebody serves it, such as a [`Server`](crate::Server).
#[derive(Debug)]
pub struct Listener {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// Takes a loopback address. With port 0 the system chooses one.
    pub async fn bind(address: SocketAddr) -> Result<Self, BindError> {
        if !address.ip().is_loopback() {
            return Err(BindError::NotLoopback { address });
        }
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::AddrInUse => BindError::InUse { address },
            _ => BindError::System { address, source },
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What to accept connections from.
    pub fn into_inner(self) -> TcpListener {
        self.listener
    }
}
