//! What a program says of its maps in lines of its own, so that its numbers get names:
//!
//! * `isotherm-totals`: all counts are totals since this moment
//! * `isotherm-series @MAP UNIT NAME`: what a map holds; `NAME` has `{KIND}` for each part of a key
//! * `isotherm-name KIND KEY NAME`: what a key of that kind stands for

use std::collections::BTreeMap;

use isotherm_frame::{Nanos, Series, Unit};

/// One such line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Declaration<'l> {
    /// All counts are totals since now.
    Totals,
    /// What a map holds.
    Series { map: &'l str, unit: Nanos, name: &'l str },
    /// What a key stands for.
    Name { kind: &'l str, key: &'l str, name: &'l str },
}

/// What a map holds.
#[derive(Clone, Debug)]
struct Declared {
    unit: Nanos,
    name: String,
}

/// What the program has said so far.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    maps: BTreeMap<String, Declared>,
    names: BTreeMap<(String, String), String>,
}

impl<'l> Declaration<'l> {
    /// Reads a line; `None` if it is none of these, and an error if it is meant as one.
    pub(super) fn read(line: &'l str) -> Option<Result<Declaration<'l>, &'static str>> {
        const NO_FORM: &str = "a line for isotherm in an unknown form";
        let (kind, rest) = line.trim().strip_prefix("isotherm-")?.split_once(' ').unwrap_or_else(|| {
            // A word alone.
            (line.trim().trim_start_matches("isotherm-"), "")
        });
        let mut words = rest.splitn(3, ' ').map(str::trim).filter(|word| !word.is_empty());
        let parts = (kind, words.next(), words.next(), words.next());
        Some(match parts {
            ("totals", None, ..) => Ok(Declaration::Totals),
            ("series", Some(map), Some(unit), Some(name)) if map.starts_with('@') => {
                let series = |unit| Declaration::Series { map, unit, name };
                length(unit).map(series).ok_or("a unit that is neither ns, us, ms, s nor a number of ns")
            }
            ("name", Some(kind), Some(key), Some(name)) => Ok(Declaration::Name { kind, key, name }),
            _ => Err(NO_FORM),
        })
    }
}

/// `us`, or a number of nanoseconds: `1024ns`.
fn length(unit: &str) -> Option<Nanos> {
    let number = unit.strip_suffix("ns").and_then(|number| number.parse::<u64>().ok());
    let units = || unit.parse::<Unit>().ok().map(Unit::as_nanos);
    number.map(Nanos::new).or_else(units).filter(|unit| *unit > Nanos::ZERO)
}

impl Declarations {
    /// More than any program has to say: an input cannot fill the memory.
    const MOST: usize = 100_000;

    /// Remembers what a line says. The last one about the same thing counts.
    pub(super) fn learn(&mut self, declaration: &Declaration<'_>) {
        if self.maps.len() + self.names.len() >= Declarations::MOST {
            return;
        }
        match *declaration {
            Declaration::Totals => {}
            Declaration::Series { map, unit, name } => {
                self.maps.insert(map.to_owned(), Declared { unit, name: name.to_owned() });
            }
            Declaration::Name { kind, key, name } => {
                self.names.insert((kind.to_owned(), key.to_owned()), name.to_owned());
            }
        }
    }

    /// The series and the unit of a map's key, if the program has declared what the map holds.
    pub(super) fn series(&self, map: &str, key: Option<&str>) -> Option<(Series, Nanos)> {
        let Declared { unit, name } = self.maps.get(map)?;
        let mut keys = key.unwrap_or_default().split(',').map(str::trim);
        let (mut shown, mut rest) = (String::new(), name.as_str());
        while let Some((before, after)) = rest.split_once('{') {
            let Some((kind, after)) = after.split_once('}') else { break };
            shown.push_str(before);
            shown.push_str(&self.named(kind, keys.next().unwrap_or_default()));
            rest = after;
        }
        shown.push_str(rest);
        Some((Series::named(shown), *unit))
    }

    /// What a key stands for, or `event#152`.
    fn named(&self, kind: &str, key: &str) -> String {
        let name = self.names.get(&(kind.to_owned(), key.to_owned()));
        name.cloned().unwrap_or_else(|| format!("{kind}#{key}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(lines: &[&str]) -> Declarations {
        let mut declarations = Declarations::default();
        for line in lines {
            declarations.learn(&Declaration::read(line).unwrap().unwrap());
        }
        declarations
    }

    #[test]
    fn keys_get_names() {
        let declared = declared(&[
            "isotherm-series @w ns {event}",
            "isotherm-series @c 1024ns {call} within {event}",
            "isotherm-series @all us all of it",
            "isotherm-name event 152 db file sequential read",
            "isotherm-name event 7 once",
            "isotherm-name event 7 enq: TX - {row}, lock",
            "isotherm-name call 17 pread64",
        ]);
        let series = |map: &str, key: Option<&str>| {
            declared.series(map, key).map(|(series, unit)| (series.to_string(), unit.as_nanos()))
        };
        let is = |name: &str, unit: u64| Some((name.to_owned(), unit));
        assert_eq!(series("@w", Some("152")), is("db file sequential read", 1));
        assert_eq!(series("@w", Some("9")), is("event#9", 1));
        assert_eq!(series("@w", Some("7")), is("enq: TX - {row}, lock", 1));
        assert_eq!(series("@c", Some("17,152")), is("pread64 within db file sequential read", 1_024));
        assert_eq!(series("@c", Some("18")), is("call#18 within event#", 1_024));
        assert_eq!(series("@all", None), is("all of it", 1_000));
        assert_eq!(series("@other", Some("152")), None);
    }

    #[test]
    fn what_is_meant_as_a_declaration_and_is_none_says_so() {
        assert_eq!(Declaration::read("isotherm-totals\n"), Some(Ok(Declaration::Totals)));
        assert_eq!(Declaration::read("@w[152]: isotherm-totals"), None);
        assert_eq!(Declaration::read("isotherm reads this"), None);
        for bad in [
            "isotherm-totals now",
            "isotherm-",
            "isotherm-series @w ns",
            "isotherm-series w ns x",
            "isotherm-series @w fortnights x",
            "isotherm-series @w 0ns x",
            "isotherm-name event 7",
            "isotherm-colour blue",
        ] {
            assert!(matches!(Declaration::read(bad), Some(Err(_))), "{bad}");
        }
    }
}
