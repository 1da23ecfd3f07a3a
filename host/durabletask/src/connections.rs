//! The connections of a server: HTTP/2 without encryption, a limited number of them, ended gracefully.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

use crate::Limits;

/// The other end of a connection: its address and port tell it from every other one that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// What a peer of HTTP/2 greets with. Before that, nobody pings it.
const GREETING: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// How long to wait between two looks at a greeting that has begun: peers send it in one piece.
const GREETING_PAUSE: Duration = Duration::from_millis(20);

/// Whether the peer says something that can be answered: its greeting, or something else that is refused then.
async fn greeted(stream: &TcpStream) -> bool {
    let mut said = [0; GREETING.len()];
    loop {
        match stream.peek(&mut said).await {
            Ok(0) | Err(_) => return false,
            Ok(length) if length < GREETING.len() && GREETING.starts_with(&said[..length]) => {
                tokio::time::sleep(GREETING_PAUSE).await;
            }
            Ok(_) => return true,
        }
    }
}

/// The connections that are open.
pub(crate) struct Connections {
    protocol: http2::Builder<TokioExecutor>,
    router: Router,
    room: Arc<Semaphore>,
    tasks: JoinSet<()>,
    shutdown: GracefulShutdown,
    stopping: watch::Receiver<bool>,
    greeting_time: Duration,
}

impl Connections {
    pub(crate) fn new(router: Router, limits: &Limits, stopping: watch::Receiver<bool>) -> Self {
        let mut protocol = http2::Builder::new(TokioExecutor::new());
        // Pings of peers are answered, however often they come. Ours find out who is gone without a word.
        protocol
            .timer(TokioTimer::new())
            .keep_alive_interval(Some(limits.ping_interval))
            .keep_alive_timeout(limits.ping_time)
            .max_concurrent_streams(limits.calls_per_connection)
            .max_header_list_size(limits.head);
        Self {
            protocol,
            router,
            room: Arc::new(Semaphore::new(limits.connections)),
            tasks: JoinSet::new(),
            shutdown: GracefulShutdown::new(),
            stopping,
            greeting_time: limits.greeting_time,
        }
    }

    /// The next connection, once there is room for it.
    pub(crate) async fn accept(
        &mut self,
        listener: &TcpListener,
    ) -> io::Result<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
        while self.tasks.try_join_next().is_some() {}
        let room = Arc::clone(&self.room).acquire_owned().await.map_err(io::Error::other)?;
        let (stream, peer) = listener.accept().await?;
        Ok((stream, peer, room))
    }

    pub(crate) fn serve(&mut self, stream: TcpStream, peer: SocketAddr, room: OwnedSemaphorePermit) {
        // Messages are small and somebody waits for each. Without it they are later, that is all.
        let _ = stream.set_nodelay(true);
        let (protocol, watcher) = (self.protocol.clone(), self.shutdown.watcher());
        let (mut stopping, greeting_time) = (self.stopping.clone(), self.greeting_time);
        let service = TowerToHyperService::new(self.router.clone());
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer));
            service.call(request)
        });
        self.tasks.spawn(async move {
            let _room = room;
            let begins = tokio::select! {
                greeted = greeted(&stream) => greeted,
                () = tokio::time::sleep(greeting_time) => false,
                _ = stopping.wait_for(|stopping| *stopping) => false,
            };
            if !begins {
                tracing::debug!(%peer, "a connection ended before it began");
                return;
            }
            let connection = watcher.watch(protocol.serve_connection(TokioIo::new(stream), service));
            if let Err(error) = connection.await {
                tracing::debug!(%peer, %error, "a connection ended early");
            }
        });
    }

    pub(crate) async fn finish(mut self, grace: Duration) {
        let asked = tokio::time::timeout(grace, self.shutdown.shutdown()).await;
        if asked.is_err() {
            tracing::warn!(connections = self.tasks.len(), "connections are cut off: the grace time is over");
        }
        self.tasks.shutdown().await;
    }
}
