//! The lines above the records: what wrote the trace, and where.

/// Keys with a colon, as the server writes them.
const KEYS: [&[u8]; 21] = [
    b"Build label:",
    b"ORACLE_HOME:",
    b"ORACLE_HOME =",
    b"System name:",
    b"Node name:",
    b"Release:",
    b"Version:",
    b"Machine:",
    b"VM name:",
    b"Storage:",
    b"CLID:",
    b"Instance name:",
    b"Instance number:",
    b"Database name:",
    b"Database unique name:",
    b"Database id:",
    b"Redo thread mounted by this instance:",
    b"Oracle process number:",
    b"Unix process pid:",
    b"Windows thread id:",
    b"Windows NT Version",
];

/// Whether a line names the process whose lines follow: trcsess writes it before those of each.
pub(super) fn names_process(key: &[u8]) -> bool {
    key == b"Unix process pid:" || key == b"Windows thread id:"
}

/// A line of the header as a key and its value; see [`Visitor::header`](super::Visitor::header).
pub(super) fn read(line: &[u8]) -> Option<(&[u8], &[u8])> {
    for begin in [&b"Trace file "[..], b"Dump file "] {
        if let Some(path) = line.strip_prefix(begin) {
            return Some((b"Trace file", path.trim_ascii()));
        }
    }
    if let Some(key) = KEYS.iter().find(|key| line.starts_with(key)) {
        return Some((key, line.get(key.len()..)?.trim_ascii()));
    }
    if let Some(version) = line.strip_prefix(b"Version ") {
        let digit = version.first().is_some_and(u8::is_ascii_digit);
        return digit.then_some((b"Version", version.trim_ascii()));
    }
    let banner = line.starts_with(b"Oracle") && memchr::memmem::find(line, b" Release ").is_some();
    banner.then(|| (b"banner".as_slice(), line.trim_ascii()))
}
