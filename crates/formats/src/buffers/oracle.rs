//! Oracle's buffers: by state, or by how often they were touched, counted by object.

use super::contents::{BufferCell, BufferContents, BufferTally, LevelKind};
use super::touches;
use crate::input::printable;

/// States of a buffer that every release has; others follow as they are met.
const STATES: [&str; 6] = ["xcur", "scur", "cr", "read", "mrec", "irec"];
/// The object number of undo and of what is no object.
const NO_OBJECT: &str = "4294967295";

/// Nothing yet of an instance that says states or touches of its buffers.
pub(super) fn nothing(touches: bool) -> BufferTally {
    let names: &[&str] = if touches { &touches::NAMES } else { &STATES };
    BufferTally::new(BufferContents {
        kind: if touches { LevelKind::TouchCount } else { LevelKind::Status },
        levels: names.iter().map(|&name| name.to_owned()).collect(),
        knows_dirty: true,
        ..BufferContents::default()
    })
}

/// The buffers of an answer; one without its end, or with something else, is none.
pub fn contents(text: &str, touches: bool) -> Result<BufferContents, String> {
    let view = if touches { "X$BH" } else { "V$BH" };
    let mut tally = nothing(touches);
    for line in text.lines() {
        if line == "." {
            return Ok(tally.contents);
        }
        let read = match line.split_once('|') {
            Some(("I", rest)) => rest.split_once('|').map(|(version, instance)| {
                let instance = printable(instance.as_bytes(), 60);
                tally.contents.server = format!("Oracle {version}, instance {instance}");
            }),
            Some(("B", rest)) => add(&mut tally, rest, touches),
            _ => None,
        };
        if read.is_none() {
            let line = printable(line.as_bytes(), 100);
            return Err(format!("{view}: not what was asked for: {line}"));
        }
    }
    Err(format!("{view}: the answer has no end"))
}

fn add(tally: &mut BufferTally, line: &str, touches: bool) -> Option<()> {
    let mut fields = line.splitn(7, '|');
    let level = fields.next()?;
    let is_dirty = fields.next()? == "Y";
    let buffers: u64 = fields.next()?.parse().ok()?;
    let (class, object) = (fields.next()?.parse().ok()?, fields.next()?);
    let kind = fields.next().unwrap_or_default();
    let name = fields.next().map(|name| printable(name.as_bytes(), 200));
    if level == "free" {
        tally.contents.free = tally.contents.free.saturating_add(buffers);
        return Some(());
    }
    let level = if touches { touches::class(level.parse().ok()?) } else { tally.level(level) };
    let name = named(class, object, name.as_deref());
    let kind = if class_word(class) == "data" { kind_word(kind) } else { class_word(class) };
    let cell = BufferCell { buffers, dirty: if is_dirty { buffers } else { 0 }, pinned: 0 };
    tally.holder(&name, kind).cells.get_mut(level)?.add(cell);
    Some(())
}

/// What an object is called.
pub(super) fn named(class: u64, object: &str, name: Option<&str>) -> String {
    match name {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ if class >= 15 => "undo".to_owned(),
        _ if object == NO_OBJECT => "no object".to_owned(),
        _ => format!("object {}", printable(object.as_bytes(), 20)),
    }
}

/// What an object of this type of `DBA_OBJECTS` is.
fn kind_word(kind: &str) -> &'static str {
    match kind {
        "" => "",
        "CLUSTER" => "cluster",
        "INDEX" => "index",
        "INDEX PARTITION" | "INDEX SUBPARTITION" => "index partition",
        "LOB" | "LOB PARTITION" | "LOB SUBPARTITION" => "LOB",
        "TABLE" => "table",
        "TABLE PARTITION" | "TABLE SUBPARTITION" => "table partition",
        _ => "other object",
    }
}

/// What blocks of this class are.
pub(super) fn class_word(class: u64) -> &'static str {
    match class {
        0 | 1 => "data",
        2 => "sort block",
        4 => "segment header",
        6 => "free list",
        7 => "extent map",
        8..=10 => "space bitmap",
        11 | 12 => "file bitmap",
        13 => "file header",
        class if class >= 15 && class % 2 == 1 => "undo header",
        class if class >= 15 => "undo block",
        _ => "other block",
    }
}
