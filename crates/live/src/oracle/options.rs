//! What stands after the `?` of an Oracle address: what to ask for, and how to get in.

use std::path::PathBuf;

use isotherm_formats::nearest;
use isotherm_frame::Nanos;
use isotherm_oracle::client::Role;

use super::address_error::OracleAddressError;

/// The options of an address. Values are as written, with `%41` and its like decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OracleOptions {
    /// Wait events; `*` stands for anything. None given: those that matter most.
    pub events: Vec<String>,
    /// The only instances to look at; all if there are none.
    pub inst: Vec<u32>,
    /// One series for each container.
    pub per_pdb: bool,
    /// Sessions are sampled instead of histograms read.
    pub sample_sessions: bool,
    /// The sessions to sample.
    pub sids: Vec<u64>,
    /// The modules whose sessions to sample; `*` stands for anything.
    pub modules: Vec<String>,
    /// Sample the fixed table X$KSLWH, which only SYS may.
    pub xkslwh: bool,
    /// From when on history is wanted.
    pub since: Option<String>,
    /// Until when history is wanted.
    pub until: Option<String>,
    /// The database whose history is wanted, where AWR holds that of several.
    pub dbid: Option<u64>,
    /// How often to ask; if not given, the program's interval.
    pub interval: Option<Nanos>,
    /// How long connecting may take.
    pub connect_timeout: Option<Nanos>,
    /// A file whose first line is the password.
    pub password_file: Option<PathBuf>,
    /// The directory of tnsnames.ora.
    pub tns_admin: Option<PathBuf>,
    /// The directory of ewallet.pem.
    pub wallet: Option<PathBuf>,
    /// The privilege to log on with.
    pub role: Option<Role>,
}

/// What kind of address the options belong to.
#[derive(Copy, Clone)]
pub(crate) struct Kind {
    /// `awr:`.
    pub(crate) history: bool,
    /// `sqlplus:`.
    pub(crate) sqlplus: bool,
}

/// Where an option can be used.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Place {
    Anywhere,
    Live,
    History,
    Thin,
}

type Set = fn(&mut OracleOptions, String) -> Result<(), &'static str>;

/// An option: its name, where it can be used, whether more than once, and what it sets.
struct Key {
    name: &'static str,
    place: Place,
    repeats: bool,
    set: Set,
}

const KEYS: [Key; 16] = [
    repeated("event", Place::Anywhere, |options, value| {
        options.events.push(some(value, "the name of a wait event, such as log file sync")?);
        Ok(())
    }),
    once("inst", Place::Anywhere, |options, value| {
        options.inst = numbers(&value)?;
        Ok(())
    }),
    once("per_pdb", Place::Live, |options, value| {
        flag(&value).map(|given| options.per_pdb = given)
    }),
    once("sample", Place::Live, |options, value| match value.as_str() {
        "session" => {
            options.sample_sessions = true;
            Ok(())
        }
        _ => Err("what can be sampled is session"),
    }),
    repeated("sid", Place::Live, |options, value| {
        options.sids.push(number(&value)?);
        Ok(())
    }),
    repeated("module", Place::Live, |options, value| {
        options.modules.push(some(value, "the name of a module")?);
        Ok(())
    }),
    once("xkslwh", Place::Live, |options, value| flag(&value).map(|given| options.xkslwh = given)),
    once("since", Place::History, |options, value| {
        put(&mut options.since, some(value, "a time, such as 2026-11-01 or 7d"))
    }),
    once("until", Place::History, |options, value| {
        put(&mut options.until, some(value, "a time, such as 2026-11-08"))
    }),
    once("dbid", Place::History, |options, value| put(&mut options.dbid, number(&value))),
    once("interval", Place::Live, |options, value| put(&mut options.interval, length(&value))),
    once("connect_timeout", Place::Thin, |options, value| {
        put(&mut options.connect_timeout, length(&value))
    }),
    once("password_file", Place::Anywhere, |options, value| {
        put(&mut options.password_file, path(value))
    }),
    once("tns_admin", Place::Anywhere, |options, value| put(&mut options.tns_admin, path(value))),
    once("wallet", Place::Thin, |options, value| put(&mut options.wallet, path(value))),
    once("as", Place::Thin, |options, value| put(&mut options.role, role(&value))),
];

const fn once(name: &'static str, place: Place, set: Set) -> Key {
    Key { name, place, repeats: false, set }
}

const fn repeated(name: &'static str, place: Place, set: Set) -> Key {
    Key { name, place, repeats: true, set }
}

impl OracleOptions {
    /// Reads `key=value&key=value`.
    pub(crate) fn read(query: &str, kind: Kind) -> Result<OracleOptions, OracleAddressError> {
        let mut options = OracleOptions::default();
        let mut given: Vec<&str> = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let key = find(name, kind)?;
            if !key.repeats && given.contains(&key.name) {
                return Err(OracleAddressError::Twice(key.name));
            }
            given.push(key.name);
            let value = decoded(value);
            (key.set)(&mut options, value.clone())
                .map_err(|expected| OracleAddressError::Value { key: key.name, value, expected })?;
        }
        Ok(options)
    }
}

fn find(name: &str, kind: Kind) -> Result<&'static Key, OracleAddressError> {
    if ["password", "passwd", "pwd", "pw"].contains(&name.to_ascii_lowercase().as_str()) {
        return Err(OracleAddressError::Password);
    }
    let Some(key) = KEYS.iter().find(|key| key.name == name) else {
        return Err(unknown(name, kind));
    };
    match misplaced(key.place, kind) {
        Some(only) => Err(OracleAddressError::WrongPlace { key: key.name, only }),
        None => Ok(key),
    }
}

/// Why an option cannot be used here.
fn misplaced(place: Place, kind: Kind) -> Option<&'static str> {
    match place {
        Place::Live if kind.history => Some("is for what happens now, not for history (awr:)"),
        Place::History if !kind.history => Some("is for history: begin the address with awr:"),
        Place::Thin if kind.sqlplus => Some("is for oracle://; for SQL*Plus put it in the logon"),
        _ => None,
    }
}

fn unknown(name: &str, kind: Kind) -> OracleAddressError {
    let fitting = KEYS.iter().filter(|key| misplaced(key.place, kind).is_none());
    let known: Vec<&'static str> = fitting.map(|key| key.name).collect();
    let near = nearest(name, &known).first().map(|near| format!("; did you mean '{near}'?"));
    OracleAddressError::UnknownOption {
        key: name.to_owned(),
        near: near.unwrap_or_default(),
        known: known.join(", "),
    }
}

fn put<T>(place: &mut Option<T>, value: Result<T, &'static str>) -> Result<(), &'static str> {
    *place = Some(value?);
    Ok(())
}

fn some(value: String, expected: &'static str) -> Result<String, &'static str> {
    if value.trim().is_empty() { Err(expected) } else { Ok(value) }
}

fn path(value: String) -> Result<PathBuf, &'static str> {
    some(value, "a path").map(PathBuf::from)
}

fn number<T: std::str::FromStr>(value: &str) -> Result<T, &'static str> {
    value.parse().map_err(|_| "a whole number")
}

/// `1` or `1,2,4`, each once.
fn numbers(value: &str) -> Result<Vec<u32>, &'static str> {
    let each = value.split(',').map(|part| part.trim().parse::<u32>());
    let mut numbers: Vec<u32> = each
        .collect::<Result<_, _>>()
        .map_err(|_| "whole numbers of instances, such as 1 or 1,2")?;
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

fn length(value: &str) -> Result<Nanos, &'static str> {
    match value.parse::<Nanos>() {
        Ok(length) if length > Nanos::ZERO => Ok(length),
        _ => Err("a length of time with its unit, such as 1s or 500ms"),
    }
}

fn flag(value: &str) -> Result<bool, &'static str> {
    match value {
        "" | "1" | "yes" | "true" | "on" => Ok(true),
        "0" | "no" | "false" | "off" => Ok(false),
        _ => Err("1 or 0"),
    }
}

fn role(value: &str) -> Result<Role, &'static str> {
    match value.to_ascii_lowercase().as_str() {
        "sysdba" => Ok(Role::Sysdba),
        "sysoper" => Ok(Role::Sysoper),
        "sysbackup" => Ok(Role::Sysbackup),
        "sysdg" => Ok(Role::Sysdg),
        "syskm" => Ok(Role::Syskm),
        "sysrac" => Ok(Role::Sysrac),
        "sysasm" => Ok(Role::Sysasm),
        _ => Err("sysdba, sysoper, sysbackup, sysdg, syskm, sysrac or sysasm"),
    }
}

/// A text with `%41` and its like decoded. A `%` that is not followed by two hexadecimal digits
/// stays; so does `+`, which is no blank here.
pub(crate) fn decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIVE: Kind = Kind { history: false, sqlplus: false };
    const HISTORY: Kind = Kind { history: true, sqlplus: false };
    const SQLPLUS: Kind = Kind { history: false, sqlplus: true };

    fn message(query: &str, kind: Kind) -> String {
        OracleOptions::read(query, kind).expect_err(query).to_string()
    }

    #[test]
    fn every_option_is_read() {
        let live = "event=log%20file%20sync&event=db%20file*&inst=2&per_pdb&sample=session&sid=7&\
                    sid=9&module=batch%26co&xkslwh=1&interval=500ms&connect_timeout=3s&\
                    password_file=/p%2Bw&tns_admin=/t&wallet=/w&as=SYSDBA";
        let expected = OracleOptions {
            events: vec!["log file sync".into(), "db file*".into()],
            inst: vec![2],
            per_pdb: true,
            sample_sessions: true,
            sids: vec![7, 9],
            modules: vec!["batch&co".into()],
            xkslwh: true,
            interval: Some(Nanos::new(500_000_000)),
            connect_timeout: Some(Nanos::new(3_000_000_000)),
            password_file: Some("/p+w".into()),
            tns_admin: Some("/t".into()),
            wallet: Some("/w".into()),
            role: Some(Role::Sysdba),
            ..OracleOptions::default()
        };
        assert_eq!(OracleOptions::read(live, LIVE), Ok(expected));
        let history = OracleOptions::read("since=7d&until=2026-11-08&dbid=42", HISTORY);
        let expected = OracleOptions {
            since: Some("7d".into()),
            until: Some("2026-11-08".into()),
            dbid: Some(42),
            ..OracleOptions::default()
        };
        assert_eq!(history, Ok(expected));
    }

    #[test]
    fn names_with_commas_are_one_event() {
        let options = OracleOptions::read("event=a,b&event=c", LIVE).expect("options");
        assert_eq!(options.events, ["a,b", "c"]);
    }

    #[test]
    fn what_is_unknown_or_out_of_place_is_explained() {
        assert_eq!(
            message("evnt=x", SQLPLUS),
            "there is no option 'evnt'; did you mean 'event'?; there are event, inst, per_pdb, \
             sample, sid, module, xkslwh, interval, password_file, tns_admin"
        );
        assert!(
            message("zebra=x", LIVE).starts_with("there is no option 'zebra'; there are event")
        );
        assert!(message("since=7d", LIVE).contains("begin the address with awr:"));
        assert!(message("sample=session", HISTORY).contains("not for history"));
        assert!(message("as=sysdba", SQLPLUS).contains("for SQL*Plus put it in the logon"));
        assert_eq!(message("inst=1&inst=2", LIVE), "the option 'inst' is given twice");
        let numbers = "whole numbers of instances, such as 1 or 1,2";
        for wrong in ["inst=one", "inst=1,", "inst=1;2", "inst="] {
            assert_eq!(message(wrong, LIVE), format!("'{wrong}': {numbers}"));
        }
        let inst = |query: &str| OracleOptions::read(query, LIVE).map(|options| options.inst);
        assert_eq!(inst("inst=2,1,2").ok(), Some(vec![1, 2]));
        assert_eq!(message("interval=5", LIVE).find("a length of time"), Some(14));
        assert!(message("as=dba", LIVE).contains("sysdba, sysoper"));
        assert!(message("event=", LIVE).contains("log file sync"));
        for query in ["password=x", "PWD=x"] {
            assert!(message(query, LIVE).contains("ISOTHERM_ORACLE_PASSWORD"), "{query}");
        }
    }

    #[test]
    fn only_whole_escapes_are_decoded() {
        for (text, expected) in [
            ("a%20b", "a b"),
            ("%C3%A9", "é"),
            ("50%", "50%"),
            ("%zz+%4", "%zz+%4"),
            ("%+1", "%+1"),
        ] {
            assert_eq!(decoded(text), expected);
        }
    }
}
