//! From a calibration to what is shown of it.

use isotherm_experiment::calibrate::{
    CacheGuess, CacheSeen, Calibration, Figure, Figures, Phase, RampEnded, Step,
    device_reads_per_operation,
};
use isotherm_views::LoadVerdict;
use isotherm_views::calibration::{
    CalibrationCache, CalibrationFigure, CalibrationOracle, CalibrationRate, CalibrationSheet,
    CalibrationWhat, FigureName,
};

use crate::stress::spread;

/// Everything shown of a calibration.
pub fn sheet(calibration: &Calibration) -> CalibrationSheet {
    let rates = |phase: Phase| {
        let steps = calibration.of(phase);
        steps.filter_map(|step| rate(calibration, step)).collect::<Vec<CalibrationRate>>()
    };
    let held = calibration.curve().into_iter().filter_map(|step| rate(calibration, step));
    let mut arrivals = rates(Phase::Limit);
    arrivals.retain(|rate| rate.in_flight.is_none());
    let offered = |rate: &CalibrationRate| rate.offered_per_s.unwrap_or(rate.per_s);
    arrivals.sort_by(|one, other| offered(one).total_cmp(&offered(other)));
    let log = calibration.figures.log_write.as_ref().map(|figure| figure.step);
    let mut writes = rates(Phase::Writes);
    writes.retain(|rate| Some(rate.step) != log);
    let again = calibration.figures.read_again.as_ref().map(|figure| figure.step);
    let parts = calibration
        .of(Phase::WorkingSet)
        .filter(|step| step.figure.as_ref().map(|figure| figure.step) != again)
        .filter_map(|step| Some((step.working_set, rate(calibration, step)?)));
    let oracle = calibration.calibrate_io.map(|oracle| CalibrationOracle {
        max_latency_ms: oracle.max_latency_ms,
        max_iops: oracle.max_iops,
        max_mbps: oracle.max_mbps,
        latency_ms: oracle.latency_ms,
    });
    CalibrationSheet {
        what: what(calibration),
        figures: figures(calibration),
        curve: held.collect(),
        arrivals,
        streams: rates(Phase::Sequential),
        parts: parts.collect(),
        writes,
        knee: calibration.knee_in_flight,
        enough: calibration.enough_in_flight(),
        growing: calibration.figures.ramp_ended == RampEnded::StillGrowing,
        cache: cache(&calibration.cache),
        oracle,
        verdicts: calibration
            .verdicts
            .iter()
            .map(|one| LoadVerdict {
                code: one.code.clone(),
                serious: one.serious,
                words: one.words.clone(),
            })
            .collect(),
    }
}

fn what(calibration: &Calibration) -> CalibrationWhat {
    CalibrationWhat {
        target: calibration.target.clone(),
        bytes: calibration.bytes,
        block: calibration.block,
        large_block: calibration.large_block,
        facts: calibration.facts.clone(),
        limit: calibration.limit.to_string(),
        bound: Some(calibration.limit.bound()),
        spent_s: calibration.spent_s,
        steps: calibration.steps.len(),
        incomplete: calibration.incomplete.clone(),
    }
}

/// The numbers in short; what was not tried is left out.
fn figures(calibration: &Calibration) -> Vec<CalibrationFigure> {
    let Figures {
        floor,
        maximum,
        limit_closed,
        limit_open,
        single_stream,
        streams,
        read_again,
        log_write,
        write_floor,
        write_maximum,
        ..
    } = &calibration.figures;
    let tried = calibration.steps.iter().any(|step| step.phase >= Phase::Limit);
    let all = [
        (FigureName::Floor, floor),
        (FigureName::Maximum, maximum),
        (FigureName::LimitClosed, limit_closed),
        (FigureName::LimitOpen, limit_open),
        (FigureName::SingleStream, single_stream),
        (FigureName::Streams, streams),
        (FigureName::ReadAgain, read_again),
        (FigureName::LogWrite, log_write),
        (FigureName::WriteFloor, write_floor),
        (FigureName::WriteMaximum, write_maximum),
    ];
    let limit = |name| matches!(name, FigureName::LimitClosed | FigureName::LimitOpen);
    let shown = all.into_iter().filter(|(name, figure)| figure.is_some() || tried && limit(*name));
    let figure = |(name, figure): (FigureName, &Option<Figure>)| CalibrationFigure {
        name,
        rate: figure.as_ref().and_then(|figure| {
            let index = usize::try_from(figure.step).ok()?;
            rate(calibration, calibration.steps.get(index)?)
        }),
    };
    shown.map(figure).collect()
}

fn rate(calibration: &Calibration, step: &Step) -> Option<CalibrationRate> {
    let figure = step.figure.as_ref()?;
    let outcome = &step.run.outcome;
    let response = outcome.response();
    Some(CalibrationRate {
        step: figure.step,
        in_flight: figure.in_flight,
        offered_per_s: figure.offered_per_second,
        per_s: figure.per_second,
        uncertainty: figure.uncertainty,
        bytes_per_s: figure.megabytes_per_second * 1e6,
        busy: figure.busy,
        spread: spread(&response),
        within_limit: calibration.limit.is_met(&response),
        device_reads: device_reads_per_operation(outcome),
    })
}

fn cache(guess: &CacheGuess) -> CalibrationCache {
    CalibrationCache {
        step: match guess.seen {
            CacheSeen::NotMeasured | CacheSeen::Unclear => None,
            CacheSeen::NoStep => Some(false),
            CacheSeen::Step => Some(true),
        },
        speedup: guess.speedup,
        at_least_bytes: guess.at_least_bytes,
        below_bytes: guess.below_bytes,
        estimate_bytes: guess.estimate_bytes,
        read_again_speedup: guess.read_again_speedup,
        first_touch_ratio: guess.first_touch_ratio,
        visits_of_smallest: guess.visits_of_smallest,
    }
}
