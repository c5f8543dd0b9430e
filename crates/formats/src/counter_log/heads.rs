//! The first line of a counter log: what each column is called.

use isotherm_frame::{Series, Unit};

use crate::nearest::nearest;

/// The names of the counters.
#[derive(Debug)]
pub(super) struct Heads {
    pub(super) separator: char,
    /// How far east the times are written.
    pub(super) offset_minutes: i64,
    /// Without the first column, which has the times.
    pub(super) counters: Vec<Counter>,
}

/// `\\HOST\Object(instance)\Name`.
#[derive(Debug, PartialEq)]
pub(super) struct Counter {
    pub(super) whole: String,
    host: String,
    pub(super) object: String,
    /// Empty where there is one only.
    pub(super) instance: String,
    pub(super) name: String,
}

impl Counter {
    fn read(whole: &str) -> Counter {
        let (host, rest) = match whole.strip_prefix(r"\\") {
            Some(rest) => rest.split_once('\\').unwrap_or((rest, "")),
            None => ("", whole.trim_start_matches('\\')),
        };
        let (object, name) = rest.rsplit_once('\\').unwrap_or(("", rest));
        let (object, instance) =
            match object.strip_suffix(')').and_then(|open| open.split_once('(')) {
                Some(parts) => parts,
                None => (object, ""),
            };
        let [whole, host, object, instance, name] =
            [whole, host, object, instance, name].map(str::to_owned);
        Counter { whole, host, object, instance, name }
    }

    pub(super) fn is_of_object_of(&self, other: &Counter) -> bool {
        let object = |counter: &Counter| {
            (counter.host.clone(), counter.object.clone(), counter.instance.clone())
        };
        object(self) == object(other)
    }

    pub(super) fn series(&self) -> Series {
        let attributes =
            [("host", &self.host), ("instance", &self.instance), ("object", &self.object)];
        let known = attributes.into_iter().filter(|(_, value)| !value.is_empty());
        Series::with_attributes(self.name.as_str(), known.map(|(key, value)| (key, value.as_str())))
    }
}

impl Heads {
    pub(super) fn read(line: &str) -> Option<Heads> {
        let line = line.trim_end_matches(['\r', '\n']);
        let behind = line.strip_prefix('"')?.find('"')? + 2;
        let separator =
            line[behind..].chars().next().filter(|sign| matches!(sign, ',' | ';' | '\t'))?;
        let mut cells = cells(line, separator).into_iter();
        // `(PDH-CSV 4.0) (W. Europe Standard Time)(-60)`: what is added to a time for UTC.
        let first = cells.next()?;
        let (_, bias) = first.strip_suffix(')')?.rsplit_once('(')?;
        let bias: i64 = bias.parse().ok().filter(|minutes: &i64| minutes.abs() <= 24 * 60)?;
        let counters: Vec<Counter> = cells.map(|cell| Counter::read(&cell)).collect();
        (!counters.is_empty()).then_some(Heads { separator, offset_minutes: -bias, counters })
    }

    /// The counters of this name, or with this in their names where none is called so; those of one object
    /// where it stands before the name: `PhysicalDisk\Avg. Disk sec/Read`.
    pub(super) fn like(&self, asked: &str) -> Result<Vec<usize>, String> {
        let of_object = asked.rsplit_once('\\').filter(|_| !asked.starts_with('\\'));
        let (object, name) = of_object.map_or((None, asked), |(object, name)| (Some(object), name));
        let asked_small = name.to_lowercase();
        let of = |fits: &dyn Fn(&Counter) -> bool| -> Vec<usize> {
            let is_of_it = |counter: &Counter| {
                object.is_none_or(|one| counter.object.eq_ignore_ascii_case(one))
            };
            let counters = self.counters.iter().enumerate();
            let fitting = counters.filter(|(_, counter)| is_of_it(counter) && fits(counter));
            fitting.map(|(index, _)| index).collect()
        };
        let same =
            of(&|counter| counter.whole == asked || counter.name.to_lowercase() == asked_small);
        let found = if same.is_empty() {
            of(&|counter| counter.name.to_lowercase().contains(&asked_small))
        } else {
            same
        };
        let mut names: Vec<&str> =
            found.iter().map(|index| self.counters[*index].name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        match names[..] {
            [] => Err(self.unknown(asked)),
            [_] => Ok(found),
            _ => Err(format!("several counters are like '{asked}': {}", names.join(", "))),
        }
    }

    fn unknown(&self, asked: &str) -> String {
        let names: Vec<&str> = self.counters.iter().map(|counter| counter.name.as_str()).collect();
        let near = nearest(asked, &names);
        let near = near.first().map(|near| format!("; did you mean '{near}'?"));
        format!("no counter is called like '{asked}'{}", near.unwrap_or_default())
    }

    /// A mean time and the rate beside it, as they are written behind `--columns`.
    pub(super) fn example(&self) -> Option<(String, String)> {
        self.counters.iter().find_map(|mean| {
            let (unit, operation) = match mean.name.split_once("MilliSec/") {
                Some((_, operation)) => ("ms", operation),
                None => ("s", mean.name.split_once(" sec/")?.1),
            };
            let rate = self.counters.iter().find(|rate| {
                let called = rate.name.strip_suffix("s/sec");
                rate.is_of_object_of(mean) && called.is_some_and(|name| name.ends_with(operation))
            })?;
            Some((format!("latency_{unit}={}", mean.name), rate.name.clone()))
        })
    }
}

/// The unit that a name of a mean time says: `Avg. Disk sec/Read`, `Average Guest MilliSec/Command`,
/// `Average Wait Time (ms)`.
pub(super) fn unit_in(name: &str) -> Option<Unit> {
    let name = name.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if has(&["millisec", "msec", "(ms)"]) {
        Some(Unit::Millis)
    } else if has(&["microsec", "usec", "(us)", "(µs)"]) {
        Some(Unit::Micros)
    } else if has(&[" sec/", "(sec)", "(s)"]) {
        Some(Unit::Seconds)
    } else {
        None
    }
}

/// The cells of a line, without the quotation marks around them.
pub(super) fn cells(line: &str, separator: char) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for sign in line.chars() {
        match sign {
            '"' => quoted = !quoted,
            sign if sign == separator && !quoted => cells.push(String::new()),
            sign => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(sign);
                }
            }
        }
    }
    cells
}
