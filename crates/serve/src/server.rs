//! The server: a thread that accepts, and one for each connection.

use std::io::Read;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::Access;
use crate::document_cache::DocumentCache;
use crate::events::Streams;
use crate::heavy::HeavyWork;
use crate::history::LiveHistory;
use crate::http::{Limits, Method, Refusal, Response, read_request};
use crate::metrics::Metrics;
use crate::routes::{Answer, Routes};
use crate::shell::Shell;

/// Why nothing is served.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The address is taken, not of this machine, or not allowed.
    #[error("cannot listen at {at}: {error}")]
    Listen {
        /// The address.
        at: SocketAddr,
        /// Why.
        error: std::io::Error,
    },
    /// A thread cannot be started.
    #[error("cannot start a thread for the server: {0}")]
    Thread(std::io::Error),
}

/// A server that has its address and answers nobody yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

/// A server that answers. It ends when this is dropped.
#[derive(Debug)]
pub struct RunningServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    routes: Routes,
    limits: Limits,
    connections: AtomicUsize,
    ends: AtomicBool,
}

/// A connection that counts as long as it is there.
struct Counted(Arc<Shared>);

impl Server {
    /// Listens at an address; port 0 is any that is free.
    pub fn bind(at: SocketAddr) -> Result<Server, ServerError> {
        let failed = |error| ServerError::Listen { at, error };
        let listener = TcpListener::bind(at).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Server { listener, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers from now on.
    pub fn start(
        self,
        history: Arc<LiveHistory>,
        (access, shell): (Access, Shell),
        metrics: Option<Metrics>,
        limits: Limits,
    ) -> Result<RunningServer, ServerError> {
        let routes = Routes {
            access,
            shell,
            history,
            documents: DocumentCache::default(),
            heavy: HeavyWork::default(),
            streams: Streams::default(),
            metrics,
        };
        let (connections, ends) = (AtomicUsize::new(0), AtomicBool::new(false));
        let shared = Arc::new(Shared { routes, limits, connections, ends });
        let (own, listener) = (Arc::clone(&shared), self.listener);
        let start = |name: &str, work: Box<dyn FnOnce() + Send>| {
            let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
            thread.map_err(ServerError::Thread)
        };
        let accepting = start("serve", Box::new(move || accept(&listener, &own)))?;
        let running = RunningServer {
            address: self.address,
            shared: Arc::clone(&shared),
            accepting: Some(accepting),
        };
        // It ends by itself when the server does.
        let routes = move || shared.routes.streams.summaries.keep_up(&shared.routes.history);
        start("summaries", Box::new(routes))?;
        Ok(running)
    }
}

impl RunningServer {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.shared.ends.store(true, Ordering::Relaxed);
        self.shared.routes.history.stop();
        // The thread that accepts waits for a connection: this is one.
        let mut own = self.address;
        if own.ip().is_unspecified() {
            own.set_ip(match own {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        let woken = TcpStream::connect_timeout(&own, Duration::from_secs(1)).is_ok();
        if let Some(thread) = self.accepting.take().filter(|_| woken) {
            let _ = thread.join();
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// So long is waited after a connection could not be accepted: none may be free for a while.
const PAUSE: Duration = Duration::from_millis(50);

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    loop {
        let accepted = listener.accept();
        if shared.ends.load(Ordering::Relaxed) {
            return;
        }
        let Ok((stream, _)) = accepted else {
            std::thread::sleep(PAUSE);
            continue;
        };
        let before = shared.connections.fetch_add(1, Ordering::Relaxed);
        let counted = Counted(Arc::clone(shared));
        if before >= shared.limits.connections {
            turn_away(stream);
            continue;
        }
        let thread = std::thread::Builder::new().name("client".to_owned());
        // Where no thread can be started the connection is closed, and the next one is tried.
        let _ = thread.spawn(move || serve(stream, &counted.0));
    }
}

/// Says that there are too many, and hardly waits for anything.
fn turn_away(mut stream: TcpStream) {
    let refused = Response::refused(&Refusal::TooManyClients);
    // The answer fits what the system keeps for a new connection: this does not wait.
    let _ = refused.write(&mut stream, false, Duration::from_millis(100));
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(20)));
    // Closing with an unread request would take the answer back.
    let _ = stream.read(&mut [0; 4_096]);
}

/// Answers the one request of a connection.
fn serve(mut stream: TcpStream, shared: &Shared) {
    let limits = &shared.limits;
    let _ = stream.set_nodelay(true);
    let request = read_request(&mut stream, limits);
    let head_only = request.as_ref().is_ok_and(|request| request.head.method == Method::Head);
    let answer = request
        .and_then(|mut request| shared.routes.answer(&mut request, &mut stream, limits))
        .unwrap_or_else(|refusal| Answer::Whole(Response::refused(&refusal)));
    let written = match answer {
        Answer::Whole(response) => response.write(&mut stream, head_only, limits.answer_time),
        Answer::Events(begin, request) => {
            begin.write(&mut stream, head_only, limits.event_time).and_then(|()| {
                if head_only {
                    return Ok(());
                }
                shared.routes.write_events(&mut stream, &request, limits)
            })
        }
    };
    // A client that went away has what it wanted.
    if written.is_ok() {
        let _ = stream.shutdown(Shutdown::Write);
        drain(&mut stream);
    }
}

/// Reads a little of what still comes: closing with unread bytes would take the answer back.
fn drain(stream: &mut TcpStream) {
    const MOST: usize = 64 << 10;
    let deadline = Instant::now() + Duration::from_secs(1);
    let (mut read, mut some) = (0, [0; 4_096]);
    while read < MOST && Instant::now() < deadline {
        let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
        match stream.read(&mut some) {
            Ok(0) | Err(_) => return,
            Ok(more) => read += more,
        }
    }
}
