//! `isotherm serve`: sources and recordings in a browser.

mod browser;
mod feeding;
mod invitation;

use std::io::Write;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use isotherm_metrics::ExpositionOptions;
use isotherm_report::live;
use isotherm_serve::{
    Access, Limits, LiveHistory, Metrics, Server, ServerError, Shell, Token, host_names,
};
use isotherm_views::OutputForm;

use crate::failure::{Code, Failure};
use crate::live::kept;
use crate::screen;
use crate::serve_args::ServeArgs;
use crate::signals::Signals;

use self::browser::Page;
use self::feeding::Feeding;

/// How often is looked whether to end.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// `isotherm serve`
pub fn run(args: &ServeArgs) -> Result<(), Failure> {
    if args.dashboard {
        let page = invitation::page(args.listen, &args.name);
        return screen::print(OutputForm::Text, &isotherm_metrics::dashboard(&page));
    }
    if args.rules {
        return screen::print(OutputForm::Text, &isotherm_metrics::recording_rules());
    }
    if args.record.is_some() && args.sources.len() > 1 {
        return Err(Failure::usage(
            "--record takes one source: serve several, and record each with `isotherm record`",
        ));
    }
    let keep = kept(args.keep)?;
    let operate = (!args.read_only).then(operating_token).transpose()?;
    let view = viewing_token(args.read_only)?;
    let server = Server::bind(args.listen)?;
    let signals = Signals::register()?;
    let feedings = args.sources.iter().map(|source| Feeding::open(source, args, &signals));
    let feedings: Vec<Feeding> = feedings.collect::<Result<_, Failure>>()?;
    let memory = args.input.memory.shared_by(feedings.len()).packed();
    let sources = feedings.iter().map(|feeding| feeding.kept_in(memory));
    let history = Arc::new(LiveHistory::new(sources, keep, number_of_this_run()));
    let hosts = host_names(server.address(), &args.name)
        .map_err(|error| Failure::usage(format!("--name: {error}")))?;
    let access = Access::new(hosts, operate, view);
    let address = server.address();
    let invitation = invitation::text(address, &args.name, access.operating());
    let looking = invitation::text(address, &args.name, access.viewing());
    let shell = Shell { page: live::page(), script: live::script(), style: live::style() };
    let metrics = metrics(args)?;
    let limits = Limits::default();
    let running = server.start(Arc::clone(&history), (access, shell), metrics.clone(), limits)?;
    warn(args, address, &looking);
    screen::print(OutputForm::Text, &format!("{invitation}\n"))?;
    let page = args.open.then(|| Page::open(&invitation)).and_then(|opened| {
        // The source is measured already: whoever cannot see it here opens the address.
        opened.map_err(|failure| screen::warn(&failure.to_string())).ok()
    });
    let ended = serve(args, feedings, (&history, metrics.as_ref()), &signals);
    drop((running, page));
    ended
}

/// Feeds the history until a signal, the end of `--for`, or the failure of every source.
fn serve(
    args: &ServeArgs,
    feedings: Vec<Feeding>,
    shared: (&LiveHistory, Option<&Metrics>),
    signals: &Signals,
) -> Result<(), Failure> {
    let length = args.duration.map(|length| Duration::from_nanos(length.as_nanos()));
    let deadline = length.and_then(|length| Instant::now().checked_add(length));
    let stop = signals.flag();
    std::thread::scope(|scope| {
        let threads = feedings.into_iter().enumerate().map(|(index, feeding)| {
            let stop = &stop;
            scope.spawn(move || feeding.run(index, shared, stop))
        });
        let threads: Vec<_> = threads.collect();
        while !signals.stop_asked() && !threads.iter().all(ScopedJoinHandle::is_finished) {
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            std::thread::sleep(LOOK_EVERY);
        }
        let broken = || Err(Failure::new(Code::Runtime, "a source ended in a way it must not"));
        let ended = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| broken()));
        // All recordings are finished before one of them is complained about.
        ended.collect::<Vec<_>>().into_iter().collect()
    })
}

/// The totals that are scraped, if they are.
fn metrics(args: &ServeArgs) -> Result<Option<Metrics>, Failure> {
    if !args.metrics {
        return Ok(None);
    }
    let bounds = args.buckets.bounds();
    let metrics = Metrics::new(ExpositionOptions { bounds, waited: args.waited });
    if !args.metrics_without_token {
        return Ok(Some(metrics));
    }
    // A name is that of a proxy, which lets other machines in.
    if !args.listen.ip().is_loopback() || !args.name.is_empty() {
        return Err(Failure::usage(
            "--metrics-without-token: other machines can ask for the metrics, at this address or through \
             the proxy of --name; give the scraper the token (`authorization` in Prometheus), or listen \
             at 127.0.0.1 without --name",
        ));
    }
    Ok(Some(metrics.without_token()))
}

fn warn(args: &ServeArgs, address: std::net::SocketAddr, looking: &str) {
    if !address.ip().is_loopback() {
        screen::warn(&format!(
            "{address} can be reached from other machines, and nothing is encrypted: whoever reads \
             the network reads the token. Listen at 127.0.0.1 behind a proxy with TLS instead \
             (docs/guide/serve.md)"
        ));
    }
    if address.ip().is_unspecified() && args.name.is_empty() {
        screen::warn("other machines are answered only under names given with --name HOST:PORT");
    }
    if !args.read_only {
        // Not as a warning, which hides tokens: this one is there to be read.
        let line = format!("isotherm: to look without setting marks: {looking}\n");
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
    }
}

/// The token that the environment sets, else a new one.
fn operating_token() -> Result<Token, Failure> {
    match std::env::var("ISOTHERM_TOKEN") {
        Ok(text) => {
            Token::chosen(&text).map_err(|error| Failure::usage(format!("ISOTHERM_TOKEN: {error}")))
        }
        Err(_) => random_token(),
    }
}

/// The token for looking. Where nobody may do more, the environment sets this one.
fn viewing_token(is_the_only_one: bool) -> Result<Token, Failure> {
    if is_the_only_one { operating_token() } else { random_token() }
}

fn random_token() -> Result<Token, Failure> {
    Token::random().map_err(|error| Failure::new(Code::Runtime, error.to_string()))
}

/// Tells this run from one before it, whose pages may still be open.
fn number_of_this_run() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Failure {
        let text = match &error {
            ServerError::Listen { .. } => {
                format!("--listen: {error}; --listen 127.0.0.1:0 takes any free port")
            }
            _ => error.to_string(),
        };
        Failure::new(Code::Runtime, text)
    }
}
