//! What is known of a server beforehand.

use isotherm_frame::numbers::bytes;

use super::info::Info;
use super::session::{Answer, Session};
use super::target::Target;

/// What is known, in the order to be shown.
pub fn of(session: &mut Session, target: &Target) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut add = |name: &str, value: String| facts.push((name.to_owned(), value));
    let info = Info::ask(session, "default");
    if let Some(info) = &info {
        add("server", version(info));
    }
    let place = if session.is_local() { "on this machine" } else { "on another machine" };
    add("place", format!("{}, {place}", target.place));
    let Target { keys, value_bytes, database, .. } = target;
    add("keys", format!("{keys} of {value_bytes} bytes each, in database {database}"));
    match info {
        Some(info) => {
            if let Some(role) = info.get("role") {
                add("role", role.to_owned());
            }
            add("memory", memory(&info));
            add("persistence", persistence(&info, config(session, "save").as_deref()));
        }
        None => add("totals", "not read: the user lacks ACL permission +info".to_owned()),
    }
    if let Some(threads) = config(session, "io-threads") {
        add("I/O threads", threads);
    }
    facts
}

fn version(info: &Info) -> String {
    match (info.get("valkey_version"), info.get("redis_version")) {
        (Some(valkey), _) => format!("Valkey {valkey}"),
        (None, Some(redis)) => format!("Redis {redis}"),
        (None, None) => "of unknown version".to_owned(),
    }
}

fn memory(info: &Info) -> String {
    let used = bytes(info.number("used_memory").unwrap_or(0));
    let policy = info.get("maxmemory_policy").unwrap_or("unknown policy");
    match info.number("maxmemory").unwrap_or(0) {
        0 => format!("{used} used, no limit, {policy}"),
        limit => format!("{used} used of {}, {policy}", bytes(limit)),
    }
}

fn persistence(info: &Info, save: Option<&str>) -> String {
    let log = match info.get("aof_enabled") {
        Some("0") => "no append-only file",
        Some(_) => "append-only file",
        None => "append-only file unknown",
    };
    let snapshots = match save {
        Some("") => "no snapshots".to_owned(),
        Some(rules) => format!("snapshots (save {rules})"),
        None => "snapshots unknown".to_owned(),
    };
    format!("{log}, {snapshots}")
}

/// A setting; nothing if the user may not read it or the server does not have it.
fn config(session: &mut Session, name: &str) -> Option<String> {
    let answer = session.ask("read settings", &[b"CONFIG", b"GET", name.as_bytes()]).ok()?;
    match answer {
        Answer::List(pair) => match pair.into_iter().nth(1)? {
            Answer::Value(value) => Some(String::from_utf8_lossy(&value).into_owned()),
            _ => None,
        },
        _ => None,
    }
}
