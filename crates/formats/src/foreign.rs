//! Formats of other tools that are recognised and not decoded: which format it is, and how its
//! latencies can be read as columns, if they can.

mod format;
mod marks;
mod tables;

use crate::lines::whole_lines;

pub(crate) use format::{Foreign, Way};

impl Foreign {
    /// Bytes looked at: what tells a format is near its beginning.
    const LOOKED_AT: usize = 16 << 10;

    /// The format of a text that begins with `head`, if it is a known one. A line that is cut off
    /// at the end of `head` is not looked at.
    pub(crate) fn recognise(head: &[u8]) -> Option<Foreign> {
        if head.contains(&0) {
            return marks::binary(head);
        }
        let head = &head[..head.len().min(Foreign::LOOKED_AT)];
        let text = String::from_utf8_lossy(whole_lines(head));
        marks::recognise(&text).or_else(|| tables::recognise(&text))
    }

    /// The same for the input called `name`: fio tells only there what its values are.
    pub(crate) fn of(name: &str, head: &[u8]) -> Option<Foreign> {
        Foreign::without_latencies(name, head).or_else(|| Foreign::recognise(head))
    }

    /// A text that begins with `head` and in which no number is that of a single event, whatever names its
    /// columns are given.
    pub(crate) fn without_events(head: &[u8]) -> Option<Foreign> {
        Foreign::recognise(head).filter(|known| matches!(known.way, Way::NoEvents(_)))
    }

    /// A log of fio whose name tells that its values are no latencies: it looks like one of them.
    pub(crate) fn without_latencies(name: &str, head: &[u8]) -> Option<Foreign> {
        let others = [("_bw.", "a bandwidth log of fio"), ("_iops.", "an IOPS log of fio")];
        let (_, other) = others.into_iter().find(|(part, _)| name.contains(part))?;
        Foreign::recognise(head).filter(|known| known.name == tables::FIO_LOG)?;
        let way = Way::NotYet("it holds no latencies: the logs named lat, clat and slat do");
        Some(Foreign { name: other, way })
    }
}

#[cfg(test)]
mod tests;
