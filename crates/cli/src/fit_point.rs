//! One observation as it is typed after `fit --point`.

use std::str::FromStr;

use isotherm_frame::typed;
use isotherm_queueing::Observation;

/// One observation as the user writes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointArg {
    /// Arrivals per second.
    arrival: Typed,
    /// Two times in seconds, and which they are.
    times: [Typed; 2],
    which: Times,
}

/// Two of the three times of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Times {
    ServiceAndResponse,
    ServiceAndQueue,
    QueueAndResponse,
}

/// A number that was typed, and half of its last digit: how far what was rounded may be from it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Typed {
    value: f64,
    rounding: f64,
}

impl FromStr for PointArg {
    type Err = String;

    fn from_str(text: &str) -> Result<PointArg, String> {
        let (mut rate, mut service, mut response, mut queue) = (None, None, None, None);
        for part in text.split(',') {
            let (name, value) =
                part.split_once('=').ok_or_else(|| format!("'{part}' is no NAME=VALUE; {FORM}"))?;
            let seconds =
                |text: &str| typed::duration(text).map(isotherm_frame::Nanos::as_secs_f64);
            let (place, typed) = match name.trim() {
                "rate" | "arrival" => (&mut rate, Typed::read(value, &typed::rate)),
                "service" => (&mut service, Typed::read(value, &seconds)),
                "response" => (&mut response, Typed::read(value, &seconds)),
                "queue" => (&mut queue, Typed::read(value, &seconds)),
                other => return Err(format!("there is no '{other}' here; {FORM}")),
            };
            if place.replace(typed?).is_some() {
                return Err(format!("{} is there twice; {FORM}", name.trim()));
            }
        }
        let missing = |what: &str| format!("{what} is missing; {FORM}");
        let arrival = rate.ok_or_else(|| missing("rate"))?;
        let (which, times) = match (service, response, queue) {
            (Some(one), Some(two), None) => (Times::ServiceAndResponse, [one, two]),
            (Some(one), None, Some(two)) => (Times::ServiceAndQueue, [one, two]),
            (None, Some(two), Some(one)) => (Times::QueueAndResponse, [one, two]),
            (Some(_), Some(_), Some(_)) => {
                return Err(format!("two of service, queue and response are enough; {FORM}"));
            }
            _ => return Err(missing("one of service, queue and response")),
        };
        Ok(PointArg { arrival, times, which })
    }
}

const FORM: &str = "such as rate=10844/s,service=91.4us,response=227us";

impl Typed {
    fn read<E: ToString>(
        text: &str,
        read: &dyn Fn(&str) -> Result<f64, E>,
    ) -> Result<Typed, String> {
        let value = read(text).map_err(|error| error.to_string())?;
        if value <= 0.0 || !value.is_finite() {
            return Err(format!("'{text}' is not above zero"));
        }
        let number: String = text
            .chars()
            .skip_while(|one| one.is_whitespace())
            .take_while(|&one| is_of_number(one))
            .collect();
        let rest = text.trim_start().trim_start_matches(is_of_number);
        if rest.contains(|one: char| one.is_ascii_digit()) {
            // Several units, as in 1m30s, have no one last digit that could be told.
            return Ok(Typed { value, rounding: 0.0 });
        }
        let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let bare: f64 = number.replace(',', "").parse().unwrap_or(f64::NAN);
        let last_digit = 10_f64.powi(-i32::try_from(decimals).unwrap_or(i32::MAX));
        let rounding = 0.5 * last_digit * value / bare;
        Ok(Typed { value, rounding: if rounding.is_finite() { rounding } else { 0.0 } })
    }

    fn ends(self) -> [f64; 2] {
        [self.value - self.rounding, self.value + self.rounding]
    }
}

fn is_of_number(one: char) -> bool {
    one.is_ascii_digit() || matches!(one, '.' | ',')
}

impl PointArg {
    /// The observation of the numbers as they were typed.
    pub fn observation(self) -> Observation {
        self.observed(self.arrival.value, self.times.map(|time| time.value))
    }

    fn observed(self, arrival_per_s: f64, [one, two]: [f64; 2]) -> Observation {
        let (service_s, response_s) = match self.which {
            Times::ServiceAndResponse => (one, two),
            Times::ServiceAndQueue => (one, one + two),
            Times::QueueAndResponse => (two - one, two),
        };
        Observation { arrival_per_s, service_s, response_s }
    }

    /// The servers of each form that the rounding of the numbers leaves possible.
    pub fn servers(self) -> [(f64, f64); 2] {
        let mut ranges = [(f64::INFINITY, 0.0); 2];
        for arrival in self.arrival.ends() {
            for one in self.times[0].ends() {
                for two in self.times[1].ends() {
                    let seen = self.observed(arrival, [one, two]);
                    let Ok(solved) = seen.solved() else {
                        // Service that rounding alone may be: as few servers as you like. Queueing that
                        // it may be: as many.
                        ranges = ranges.map(|(least, most)| {
                            if seen.service_s <= 0.0 { (0.0, most) } else { (least, f64::INFINITY) }
                        });
                        continue;
                    };
                    for ((least, most), form) in ranges.iter_mut().zip(solved) {
                        *least = f64::min(*least, form.servers);
                        *most = f64::max(*most, form.servers);
                    }
                }
            }
        }
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PointArg, String> {
        text.parse()
    }

    #[test]
    fn two_of_three_times_are_enough() {
        let all = [
            "rate=10844.5,service=91.4us,response=227us",
            "rate=10844.5/s,service=0.0914ms,queue=135.6us",
            "queue=135.6us,response=0.227ms,arrival=10.8445k",
        ];
        for text in all {
            let [cpu, _] = read(text).unwrap().observation().solved().unwrap();
            assert!((cpu.servers - 1.42348).abs() < 5e-6, "{text}: {cpu:?}");
        }
        for (text, why) in [
            ("rate=5", "one of service, queue and response is missing"),
            ("service=1ms,response=2ms", "rate is missing"),
            ("rate=5,service=1ms,response=2ms,queue=1ms", "two of service"),
            ("rate=5,rate=6", "twice"),
            ("rate=0,service=1ms,response=2ms", "not above zero"),
            ("speed=5", "there is no 'speed' here"),
            ("5", "no NAME=VALUE"),
            ("", "no NAME=VALUE"),
        ] {
            let said = read(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
        assert!(read("rate=5,service=2ms,response=1ms").unwrap().observation().solved().is_err());
    }

    #[test]
    fn rounding_is_half_of_the_last_digit_that_was_typed() {
        // The range of the published baseline.
        let point = read("rate=10844.5,service=91.4us,queue=135.6us").unwrap();
        assert!((point.times[0].rounding - 0.05e-6).abs() < 1e-15);
        assert!((point.arrival.rounding - 0.05).abs() < 1e-9);
        let [(least, most), _] = point.servers();
        assert!(
            1.421 < least && least < 1.4235 && 1.4235 < most && most < 1.4255,
            "{least} {most}"
        );
        let round = read("rate=10k,service=1ms,response=2ms").unwrap().arrival.rounding;
        assert!((round - 500.0).abs() < 1e-6, "{round}");
        let several = read("rate=10/s,service=1m1s,response=2m").unwrap();
        assert_eq!((several.times[0].value, several.times[0].rounding), (61.0, 0.0));
    }

    #[test]
    fn what_rounding_leaves_possible_reaches_to_nothing_or_without_end() {
        // Service of 1 ms that may be none. By a grid of 401 x 401 x 401 points over the box of roundings
        // the most servers are 0.2419 and 0.1248.
        let [cpu, io] = read("rate=50/s,queue=9ms,response=10ms").unwrap().servers();
        assert_eq!((cpu.0, io.0), (0.0, 0.0));
        assert!((cpu.1 - 0.2419).abs() < 1e-4 && (io.1 - 0.1248).abs() < 1e-4, "{cpu:?} {io:?}");
        // Queueing of 0.4 ms that may be none.
        let [cpu, _] = read("rate=10/s,service=1ms,response=1.4ms").unwrap().servers();
        assert!(cpu.0 > 0.0 && cpu.1.is_infinite(), "{cpu:?}");
    }
}
