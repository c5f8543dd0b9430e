//! Logs as JSON (`log_destination = jsonlog`, from `PostgreSQL` 15 on).

use std::borrow::Cow;

use serde::Deserialize;

use super::durations::{Durations, Entry};
use super::moment::MomentReader;
use crate::sink::reject;
use crate::{Context, DecodeError, LineReader, Sink};

#[derive(Deserialize)]
struct Logged<'l> {
    #[serde(borrow, default)]
    timestamp: Cow<'l, str>,
    #[serde(borrow, default)]
    user: Cow<'l, str>,
    #[serde(borrow, default)]
    dbname: Cow<'l, str>,
    #[serde(default)]
    pid: u64,
    #[serde(borrow, default)]
    message: Cow<'l, str>,
    #[serde(borrow, default)]
    application_name: Cow<'l, str>,
}

pub(super) fn read(
    lines: &mut LineReader<'_>,
    context: &Context,
    durations: &mut Durations,
    sink: &mut dyn Sink,
) -> Result<(), DecodeError> {
    let mut moments = MomentReader::new(context);
    while let Some(line) = lines.next_line()? {
        if line.bytes.trim_ascii().is_empty() {
            continue;
        }
        let logged: Logged<'_> = match serde_json::from_slice(line.bytes) {
            Ok(logged) => logged,
            Err(error) => {
                reject(sink, line.place, format!("not an entry of a JSON log: {error}"), 1);
                continue;
            }
        };
        let pid = if logged.pid > 0 { logged.pid.to_string() } else { String::new() };
        let entry = Entry {
            place: line.place,
            at: moments.read(logged.timestamp.as_bytes(), sink),
            message: logged.message.as_bytes(),
            database: logged.dbname.as_bytes(),
            user: logged.user.as_bytes(),
            process: pid.as_bytes(),
            application: logged.application_name.as_bytes(),
        };
        durations.entry(entry, sink);
    }
    Ok(())
}
