//! Listens, serves connections, and stops without cutting anybody off.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use everturn_runtime::Runtime;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

use crate::app::App;
use crate::router::router;
use crate::{BindError, Limits, Listener};

/// How long not to accept connections after the system failed to give us one: it may be out of files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A server that listens. It serves while [`Server::run`] runs.
#[derive(Debug)]
pub struct Server {
    listener: Listener,
    router: Router,
    limits: Limits,
    stopping: watch::Sender<bool>,
}

impl Server {
    /// Listens on a loopback address. With port 0 the system chooses one.
    pub async fn bind(address: SocketAddr, runtime: Runtime) -> Result<Self, BindError> {
        let limits = Limits::fitting(runtime.options());
        Ok(Self::new(Listener::bind(address).await?, runtime, limits))
    }

    /// Listens where it may already, within these limits.
    pub fn new(listener: Listener, runtime: Runtime, limits: Limits) -> Self {
        let stopping = watch::Sender::new(false);
        let router = router(App::new(runtime, limits.clone(), stopping.subscribe()));
        Self { listener, router, limits, stopping }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// Serves until `shutdown` resolves. Then it accepts no connection, ends what waits for something, and lets the other
    /// requests come to their end within the grace time.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let Self { listener, router, limits, stopping } = self;
        let listener = listener.into_inner();
        let mut connections = Connections::new(router, &limits);
        tokio::pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                accepted = connections.accept(&listener) => match accepted {
                    Ok((stream, room)) => connections.serve(stream, room),
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        drop(listener);
        stopping.send_replace(true);
        connections.finish(limits.grace).await;
    }
}

/// The connections that are open.
struct Connections {
    protocol: http1::Builder,
    router: Router,
    room: Arc<Semaphore>,
    tasks: JoinSet<()>,
    shutdown: GracefulShutdown,
}

impl Connections {
    fn new(router: Router, limits: &Limits) -> Self {
        let mut protocol = http1::Builder::new();
        protocol.timer(TokioTimer::new()).header_read_timeout(limits.head_time);
        let room = Arc::new(Semaphore::new(limits.connections));
        Self { protocol, router, room, tasks: JoinSet::new(), shutdown: GracefulShutdown::new() }
    }

    /// The next connection, once there is room for it.
    async fn accept(&mut self, listener: &TcpListener) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
        while self.tasks.try_join_next().is_some() {}
        let room = Arc::clone(&self.room).acquire_owned().await.map_err(io::Error::other)?;
        let (stream, _) = listener.accept().await?;
        Ok((stream, room))
    }

    fn serve(&mut self, stream: TcpStream, room: OwnedSemaphorePermit) {
        // Answers are small and somebody waits for each. Without it they are later, that is all.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(self.router.clone());
        let connection = self.protocol.serve_connection(TokioIo::new(stream), service);
        let connection = self.shutdown.watch(connection);
        self.tasks.spawn(async move {
            let _room = room;
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
        });
    }

    async fn finish(mut self, grace: Duration) {
        let asked = tokio::time::timeout(grace, self.shutdown.shutdown()).await;
        if asked.is_err() {
            tracing::warn!(connections = self.tasks.len(), "connections are cut off: the grace time is over");
        }
        self.tasks.shutdown().await;
    }
}
