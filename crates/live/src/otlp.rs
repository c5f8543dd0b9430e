//! `otlp:HOST:PORT`: programs and collectors send their metrics here, by HTTP.

mod request;

use std::fmt;
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use isotherm_formats::otlp::{Exports, SOURCE};
use isotherm_formats::unread_options::check;
use isotherm_formats::{Counting, Meta, Need};
use isotherm_frame::{Place, SharedMemory, Unit};

use self::request::{Body, Deadline, HELD, Limits, Patient};
use crate::feed::{Ending, LiveOptions, OpenError, Outbox, Running, Stopped};
use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};

/// `otlp:...`.
pub(crate) static LIVE: Live = Live {
    metas: &[&META],
    schemes: &[LiveScheme {
        name: "otlp",
        needs: "an address to listen on",
        example: "otlp:127.0.0.1:4318",
    }],
    target: |_, rest| Ok(LiveAddress::new(Listen(rest.to_owned()))),
    load_instead: |_| None,
};

/// Where to listen.
#[derive(Debug)]
struct Listen(String);

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "otlp:{}", self.0)
    }
}

/// Requests under way at most: a slow consumer makes programs wait, not memory grow.
const WAITING: usize = 16;
/// Connections at once at most.
const MOST: usize = 64;
/// How often it is looked whether the receiver was stopped, or somebody wants to connect.
const PATIENCE: Duration = Duration::from_millis(50);

impl Target for Listen {
    fn open(&self, options: &LiveOptions, start: Start) -> Result<Running, OpenError> {
        let Start { mut outbox, choice } = start;
        check(&SOURCE, &options.context, &mut outbox)?;
        let _ = choice.chosen.set(&SOURCE);
        let listener = self.listener()?;
        let unit = options.context.unit;
        let (stopped, name) = (outbox.stopped().clone(), "isotherm-otlp");
        let worker = std::thread::Builder::new()
            .name(name.into())
            .spawn(move || receive(&listener, unit, outbox))
            .map_err(|source| OpenError::NotStarted { program: "a thread".into(), source })?;
        Ok(Running { wake: Box::new(move || stopped.set()), worker })
    }
}

impl Listen {
    fn listener(&self) -> Result<TcpListener, OpenError> {
        let wrong = |why: String| {
            OpenError::Server(format!(
                "{self}: cannot listen there: {why}; use a free port of this machine, such as \
                 otlp:127.0.0.1:4318"
            ))
        };
        let addresses = self.0.to_socket_addrs().map_err(|error| wrong(error.to_string()))?;
        let addresses: Vec<_> = addresses.collect();
        let listener =
            TcpListener::bind(&addresses[..]).map_err(|error| wrong(error.to_string()))?;
        listener.set_nonblocking(true).map_err(|error| wrong(error.to_string()))?;
        Ok(listener)
    }
}

/// Takes requests until it is stopped.
fn receive(listener: &TcpListener, unit: Option<Unit>, mut outbox: Outbox) {
    let (sender, requests) = sync_channel(WAITING);
    let began = Some(crate::feed::now());
    let room = SharedMemory::of_bytes(HELD);
    let (mut exports, connected) = (Exports::new(unit, began), Arc::new(AtomicUsize::new(0)));
    let mut place = Place { line: 1, byte: 0 };
    while !outbox.stopped().is_set() {
        let limits = || Limits { room: room.clone(), deadline: Deadline::default() };
        accept(listener, &sender, outbox.stopped(), &connected, limits);
        if let Ok(body) = requests.recv_timeout(PATIENCE) {
            match &body {
                Body::Protobuf(bytes) => exports.message(bytes, place, &mut outbox),
                Body::Json(bytes) => exports.json(bytes, place, &mut outbox),
            }
            place.line += 1;
            outbox.flush();
        }
    }
    if let Err(error) = exports.finish(&mut outbox) {
        outbox.warn(error.to_string());
    }
    outbox.end(Ending { error: None, status: "stopped".to_owned(), stderr_tail: Vec::new() });
}

/// Gives everybody who wants to connect a thread.
fn accept(
    listener: &TcpListener,
    sender: &SyncSender<Body>,
    stopped: &Stopped,
    connected: &Arc<AtomicUsize>,
    limits: impl Fn() -> Limits,
) {
    while let Ok((stream, _)) = listener.accept() {
        if connected.load(Ordering::SeqCst) >= MOST {
            // Who is sent away tries again.
            continue;
        }
        connected.fetch_add(1, Ordering::SeqCst);
        let (sender, stopped, count) = (sender.clone(), stopped.clone(), connected.clone());
        let limits = limits();
        let serve = move || {
            // A connection that breaks off has lost nothing that was answered.
            let _ = serve(stream, &sender, stopped, &limits);
            count.fetch_sub(1, Ordering::SeqCst);
        };
        let spawned = std::thread::Builder::new().name("isotherm-otlp-in".into()).spawn(serve);
        if spawned.is_err() {
            connected.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Answers the requests of one connection.
fn serve(
    stream: TcpStream,
    sender: &SyncSender<Body>,
    stopped: Stopped,
    limits: &Limits,
) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut answers = stream.try_clone()?;
    let mut reader =
        std::io::BufReader::new(Patient { stream, stopped, deadline: limits.deadline.clone() });
    while let Some(request) = request::read(&mut reader, &mut answers, limits)? {
        let answer = match request.body {
            Ok(body) => {
                let kind = body.kind();
                // Nobody is there any more: the program is told to keep its counts.
                if sender.send(body).is_ok() {
                    request::accepted(kind)
                } else {
                    request::refused(503)
                }
            }
            Err(status) => request::refused(status),
        };
        std::io::Write::write_all(&mut answers, answer.as_bytes())?;
        if request.closes {
            break;
        }
    }
    Ok(())
}

static META: Meta = Meta {
    name: "otlplive",
    address: "otlp:HOST:PORT",
    about: "Histograms from OpenTelemetry metrics that programs or a collector send by OTLP/HTTP, \
        as protobuf or JSON",
    needs: &[
        Need {
            what: "an exporter for OTLP by HTTP, not gRPC",
            how: "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://127.0.0.1:4318/v1/metrics \
                OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf; of a collector the exporter otlphttp",
        },
        Need {
            what: "a free port that only trusted senders can reach",
            how: "127.0.0.1: anybody who can reach the port can send",
        },
    ],
    command: "isotherm live otlp:127.0.0.1:4318",
    overhead: "Not measured. The program sends its metrics each minute, or as \
        OTEL_METRIC_EXPORT_INTERVAL says: a few kilobytes for each histogram.",
    loses: "Exports sent before isotherm listened or while it was stopped; cumulative histograms \
        catch up in one interval. Only histograms of times sent to /v1/metrics are read. There is \
        no TLS and no logon.",
    counting: Counting::Varies(
        "Each metric says in its aggregation temporality whether its counts are increments or \
        totals. A new start time, which a restart of the program brings, resets totals.",
    ),
    exact_time: true,
    example: "\
$ curl -s http://127.0.0.1:4318/v1/metrics -H 'Content-Type: application/json' -d @export.json
{}
",
    interpretation: "isotherm accepted the export. More frequent exports give shorter intervals: \
        OTEL_METRIC_EXPORT_INTERVAL=5000 sends every 5 seconds.",
};
