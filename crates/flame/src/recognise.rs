//! What an input is, by its content.

use crate::folded::folded_line;
use crate::format::Format;
use crate::perf_header::sample_header;

/// What an input is that begins like this.
pub(crate) fn recognise(head: &[u8]) -> Option<Format> {
    let lines = || head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines()
        .find_map(certain)
        .or_else(|| lines().find_map(|line| folded_line(line).map(|_| Format::Folded)))
}

/// What a line says the input is beyond doubt.
fn certain(line: &[u8]) -> Option<Format> {
    if line.starts_with(b"@") && line.contains(&b'[') {
        return Some(Format::Bpftrace);
    }
    if line.starts_with(b"# captured on") || line.starts_with(b"# event : name =") {
        return Some(Format::PerfScript);
    }
    if sample_header(line).is_some() {
        return Some(Format::PerfScript);
    }
    let is_folded = line.contains(&b';') && folded_line(line).is_some();
    is_folded.then_some(Format::Folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_recognised_behind_messages() {
        for (head, format) in [
            ("python3 1 2.5: 7 cpu-clock: \n\t12 f (x)\n", Some(Format::PerfScript)),
            ("# ========\n# captured on    : Mon\n", Some(Format::PerfScript)),
            ("Attaching 2 probes...\n\n@[\n    f+1\n]: 5\n", Some(Format::Bpftrace)),
            ("main;read;ksys_read 12\n", Some(Format::Folded)),
            ("main 12\n", Some(Format::Folded)),
            ("nothing that is known\n", None),
            ("", None),
        ] {
            assert_eq!(recognise(head.as_bytes()), format, "{head}");
        }
    }
}
