//! Warnings of models, in sentences.

use isotherm_queueing::{
    Edge, FIT_CONFIDENCE, Fitted, Loop, Parameter, Quantity, RESAMPLES, Refusal, Resampling, Study,
    Tried,
};

use super::figures::letter;
use super::summary::FitSummary;

/// What is to be known of the models.
pub(super) fn on_models(summary: &FitSummary<'_>) -> Vec<String> {
    let mut said = vec![intervals(summary)];
    for tried in &summary.study.fits.tried {
        match &tried.result {
            Ok(fitted) => said.extend(flags(summary.study, fitted)),
            Err(refusal) => said.push(refused(tried, *refusal)),
        }
    }
    said
}

fn intervals(summary: &FitSummary<'_>) -> String {
    let how = match summary.study.fits.resampling {
        Resampling::Blocks { length } => format!(
            "of blocks of {length} neighbouring intervals, with what points differ beyond that added"
        ),
        Resampling::Errors => {
            "of points about the model, with their standard errors, taken to be normal".to_owned()
        }
        Resampling::Scatter => {
            "of points about the model, with the scatter that they have (no intervals are known)"
                .to_owned()
        }
    };
    format!(
        "Intervals in brackets hold {:.0} % (bias-corrected bootstrap, {} sweeps {how}, seed {}).",
        FIT_CONFIDENCE * 100.0,
        crate::numbers::grouped(RESAMPLES as u64),
        summary.seed
    )
}

/// Warnings of one model.
pub(super) fn flags(study: &Study, fitted: &Fitted) -> Vec<String> {
    let name = fitted.model.name();
    let mut said = Vec::new();
    if fitted.borrowed {
        said.push(match fitted.model.applies_to() {
            Loop::Open => format!(
                "{name} is an open model on a closed sweep, as asked: throughput is taken for an \
                 arrival rate and N/X for the response time. It knows nothing of a fixed number in \
                 flight, and its residuals are of response time."
            ),
            Loop::Closed => format!(
                "{name} is a closed model on arrivals at a rate, as asked: the mean number in flight \
                 is taken for N. Its residuals are of throughput."
            ),
        });
    }
    let found = fitted.estimates.iter();
    let falls = study.retrograde.is_some();
    said.extend(found.filter_map(|found| match (found.quantity, found.edge?) {
        (Quantity::Parameter(Parameter::Coherency), Edge::Least) if falls => Some(format!(
            "{name}: the interval of b reaches zero, although throughput falls: this law does not \
             describe the fall well."
        )),
        (quantity, at) => edge(name, quantity, at),
    }));
    said
}

fn edge(name: &str, quantity: Quantity, edge: Edge) -> Option<String> {
    let Quantity::Parameter(parameter) = quantity else { return None };
    Some(match (parameter, edge) {
        (Parameter::Coherency, Edge::Least) => {
            format!("{name}: b cannot be distinguished from zero: no fall of throughput was seen.")
        }
        (Parameter::Contention, Edge::Least) => {
            format!("{name}: a cannot be distinguished from zero: no contention was seen.")
        }
        (Parameter::Delay, Edge::Least) => {
            format!(
                "{name}: Z cannot be distinguished from zero: all of the time may be service and queue."
            )
        }
        (Parameter::Sharpness, Edge::Most) => {
            format!("{name}: the knee is sharper than the points can tell.")
        }
        (Parameter::Capacity | Parameter::Servers, Edge::Most) => {
            format!("{name}: {} has no upper limit: no saturation was seen.", letter(parameter))
        }
        (_, Edge::Least) => {
            format!("{name}: {} is at the least searched.", letter(parameter))
        }
        (_, Edge::Most) => {
            format!("{name}: {} is at the most searched.", letter(parameter))
        }
    })
}

fn refused(tried: &Tried, refusal: Refusal) -> String {
    let name = tried.model.name();
    match refusal {
        Refusal::TooFewPoints { have, need } => {
            format!("{name} is not fitted: it needs {need} different loads and there are {have}.")
        }
        Refusal::TooManyInFlight => {
            format!(
                "{name} is not fitted: it is computed one operation at a time, up to 4,096 in flight."
            )
        }
        Refusal::NoNumbers => format!("{name} is not fitted: no parameters give numbers."),
    }
}
