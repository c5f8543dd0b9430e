//! `isotherm push`: totals to a server that takes OTLP over HTTP.

mod delivery;
mod input;
mod totals;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use isotherm_frame::{Clock, Event, Nanos};
use isotherm_metrics::{ExportError, Exporter, OtlpAddress, pairs_of_environment};
use isotherm_pipeline::Batch;
use isotherm_views::OutputForm;

use self::delivery::{Delivery, deliver, pause};
use self::input::PushedInput;
use self::totals::{Counted, Totals};
use crate::about;
use crate::failure::{Code, Failure};
use crate::push_args::PushArgs;
use crate::redact::redacted;
use crate::screen;
use crate::signals::Signals;

/// The longest wait for a source.
const PATIENCE: Duration = Duration::from_millis(100);
/// Exports that wait to be sent: totals are cumulative, so that the next one has what this one has.
const WAITING: usize = 1;

/// `isotherm push`
pub fn run(args: &PushArgs) -> Result<(), Failure> {
    if args.every < Nanos::from_millis(100) {
        return Err(Failure::usage("--every: at least 100ms"));
    }
    let signals = Signals::register()?;
    let to =
        OtlpAddress::parse(&args.to).map_err(|error| Failure::usage(format!("--to: {error}")))?;
    let exporter = Arc::new(exporter(args, &to)?);
    let resource = resource()?;
    let mut input = PushedInput::open(args, &signals)?;
    let (sender, receiver) = sync_channel(WAITING);
    let (stop, is_over) = (signals.flag(), AtomicBool::new(false));
    let (pushed, delivery) = std::thread::scope(|scope| {
        let (exporter, resource, stop, is_over) = (&exporter, &resource, &stop, &is_over);
        let sending = scope.spawn(move || {
            let mut send = |body: &[u8]| exporter.send(body, &mut |length| pause(length, stop));
            let delivery = deliver(&receiver, resource, &mut send);
            is_over.store(true, Ordering::Relaxed);
            delivery
        });
        let mut totals = Totals::new(args, (sender, is_over));
        let pushed = push(args, &mut input, &mut totals);
        let counted = totals.summary();
        // Without a sender the thread sends what waits and ends.
        drop(totals);
        let broken = || Delivery::broken("the thread that sends has ended");
        (pushed.map(|()| counted), sending.join().unwrap_or_else(|_| broken()))
    });
    let counted = pushed?;
    input.close(args)?;
    report((args, &to), &counted, &delivery)
}

fn exporter(args: &PushArgs, to: &OtlpAddress) -> Result<Exporter, Failure> {
    let headers = of_environment("OTEL_EXPORTER_OTLP_HEADERS")?;
    if !headers.is_empty() && !to.is_encrypted() {
        screen::warn("nothing is encrypted: whoever reads the network reads the headers, too");
    }
    let authorities = args.authorities.as_deref();
    Exporter::new(to.clone(), headers, authorities).map_err(|error| {
        let flag = match error {
            ExportError::Header(_) => "OTEL_EXPORTER_OTLP_HEADERS",
            _ => "--authorities",
        };
        Failure::usage(format!("{flag}: {error}"))
    })
}

fn of_environment(variable: &str) -> Result<Vec<(String, String)>, Failure> {
    let Some(text) = std::env::var_os(variable) else { return Ok(Vec::new()) };
    let pairs = text.to_str().and_then(pairs_of_environment);
    pairs.ok_or_else(|| {
        Failure::usage(format!(
            "{variable}: write name=value,name=value, with %20 for a space and %2C for a comma"
        ))
    })
}

/// What the server knows us by: the variables of OpenTelemetry go before our own words.
fn resource() -> Result<Vec<(String, String)>, Failure> {
    let mut resource = of_environment("OTEL_RESOURCE_ATTRIBUTES")?;
    if let Ok(name) = std::env::var("OTEL_SERVICE_NAME") {
        resource.retain(|(key, _)| key != "service.name");
        resource.push(("service.name".to_owned(), name));
    }
    for (key, value) in
        [("service.name", "isotherm".to_owned()), ("service.instance.id", about::host())]
    {
        if !resource.iter().any(|(known, _)| known == key) {
            resource.push((key.to_owned(), value));
        }
    }
    Ok(resource)
}

/// Takes everything that the input gives, and exports the totals on the way.
fn push(args: &PushArgs, input: &mut PushedInput, totals: &mut Totals) -> Result<(), Failure> {
    loop {
        let Batch { events, ended } = input.stream().next(PATIENCE);
        if input.stream().account().clock != Clock::Epoch && !events.is_empty() {
            return Err(Failure::usage(format!(
                "{}: its times are no dates, and a server needs to know when it was",
                redacted(&args.source)
            )));
        }
        for event in events {
            match event {
                Event::Frame(frame) => totals.take(&frame, input.is_live()),
                other => screen::warn_of(&other),
            }
        }
        totals.export_if_due(input.is_live());
        if ended.is_some() || totals.is_refused() {
            totals.is_chosen()?;
            return input.failed().map_or(Ok(()), Err);
        }
    }
}

/// Says what was delivered, and fails where the last totals were not.
fn report(
    (args, to): (&PushArgs, &OtlpAddress),
    counted: &Counted,
    delivery: &Delivery,
) -> Result<(), Failure> {
    if let Some(error) = &delivery.error {
        let code = if delivery.delivered == 0 { Code::Unreachable } else { Code::Runtime };
        return Err(Failure::new(code, delivery.lost(error)));
    }
    if counted.events == 0 && delivery.delivered == 0 {
        return Err(Failure::nothing(format!(
            "{}: there are no events to push",
            redacted(&args.source)
        )));
    }
    if !counted.is_exported {
        return Err(Failure::new(Code::Runtime, "the last totals were not sent"));
    }
    let line = delivery.summary(to.url(), counted.events, counted.skipped);
    screen::print(OutputForm::Text, &format!("{line}\n"))
}
