//! Finding the format of an input by how it begins.

use std::cell::OnceCell;

use isotherm_frame::Place;

use super::book::all;
use super::definition::{Definition, Kind};
use super::envelope::Envelope;
use super::format::Format;
use super::head::{has_field, head_of};
use super::open_row::OpenRow;
use super::repair::{closed, repaired};
use crate::lines::first_lines;
use crate::logs::Objects;

/// The format of an input that begins with `head`, if it is a known one.
pub(super) fn recognise(head: &[u8]) -> Option<&'static Format> {
    Beginning::all(head).find_map(|beginning| beginning.format())
}

/// Whether nothing is recognised by the first lines.
pub(super) fn comes_late(head: &[u8]) -> bool {
    let first = Beginning::all(head).next();
    first.is_some_and(|first| first.window == Window::First && first.format().is_none())
}

/// Whether an input that begins with `head` is of a format, as it stands or within what is around its lines.
pub(super) fn is_of(format: &Format, head: &[u8]) -> bool {
    let is_within = |beginning: &Beginning<'_>| beginning.insides().any(|(_, text)| beginning.within(&text, format));
    Beginning::all(head).any(|beginning| beginning.is_of(format) || is_within(&beginning))
}

/// What is around the lines of an input of a format; none if they stand there as they are.
pub(super) fn around(format: &Format, head: &[u8]) -> Option<Envelope> {
    for beginning in Beginning::all(head) {
        // What an input begins with may stand there without what is around the others.
        let fits = |envelope: &Envelope| {
            let text = envelope.inside(beginning.head);
            let inner = text.as_ref().and_then(|text| Beginning::in_window(text, beginning.window));
            inner.is_some_and(|inner| inner.has_lines_of(format))
        };
        // A pattern may fit with what is around the line, too: but a divided line is none.
        let divided = Envelope::all().filter(|envelope| envelope.divides()).find(fits);
        if divided.is_some() || beginning.has_lines_of(format) {
            return divided;
        }
        let found = Envelope::all().find(fits);
        if found.is_some() {
            return found;
        }
    }
    None
}

/// A format of which some line is, although the input as a whole is not recognised as one: rather one that is read.
pub(super) fn of_some_line(head: &[u8]) -> Option<&'static Format> {
    let whole = Beginning::in_window(head, Window::Whole)?;
    let insides: Vec<Vec<u8>> = whole.insides().map(|(_, text)| text).collect();
    let within = || insides.iter().filter_map(|text| Beginning::in_window(text, Window::Whole));
    let is_there = |format: &&Format| whole.has_some_line(format) || within().any(|inner| inner.has_some_line(format));
    let is_read = |format: &&Format| format.definition.refuse.is_none();
    all().filter(is_read).find(is_there).or_else(|| all().filter(|format| !is_read(format)).find(is_there))
}

/// How much of the head is looked at. Most inputs are known by their first lines. Where those are of something
/// else (the SQL of a request of Rails, users that begin at once, safepoints before the first pause), the whole head
/// is searched for lines that nothing else looks like.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Window {
    First,
    Whole,
}

/// How an input begins.
pub(super) struct Beginning<'h> {
    window: Window,
    head: &'h [u8],
    lines: Vec<&'h [u8]>,
    /// The fields of the first objects of JSON.
    objects: OnceCell<Vec<Vec<String>>>,
}

impl<'h> Beginning<'h> {
    /// Lines and bytes of the first window.
    const LINES: usize = 64;
    const BYTES: usize = 16 << 10;
    /// Lines that may stand before the one an input begins with: a prompt, an empty one.
    const OPENING: usize = 3;

    /// The first lines, and the whole head where that is more.
    fn all(head: &'h [u8]) -> impl Iterator<Item = Beginning<'h>> {
        let is_longer = head.len() > Beginning::BYTES || first_lines(head).nth(Beginning::LINES).is_some();
        // Of a first line that ends beyond the first window, more tells more.
        let is_cut = head.len() > Beginning::BYTES && memchr::memchr(b'\n', &head[..Beginning::BYTES]).is_none();
        let first = (!is_cut).then_some(Window::First);
        let whole = is_longer.then_some(Window::Whole);
        first.into_iter().chain(whole).filter_map(|window| Beginning::in_window(head, window))
    }

    /// The first lines.
    #[cfg(test)]
    pub(super) fn of(head: &'h [u8]) -> Option<Beginning<'h>> {
        Beginning::in_window(head, Window::First)
    }

    fn in_window(head: &'h [u8], window: Window) -> Option<Beginning<'h>> {
        let (bytes, most) = match window {
            Window::First => (head.len().min(Beginning::BYTES), Beginning::LINES),
            Window::Whole => (head.len(), usize::MAX),
        };
        let head = &head[..bytes];
        if head.contains(&0) {
            return None;
        }
        let lines = first_lines(head).take(most).collect();
        Some(Beginning { window, head, lines, objects: OnceCell::new() })
    }

    /// The first format that fits, as the lines stand or within what is around them.
    fn format(&self) -> Option<&'static Format> {
        // Taking off what is around each line of the whole head takes longer than all else: it is done only where
        // the texts of a format are there. Docker writes some of them otherwise.
        let may_be_within = self.window == Window::First || all().any(|format| self.may_be_within(format));
        let mut around = Envelope::all().filter(|envelope| may_be_within || !matches!(envelope, Envelope::Prefix(_)));
        all().find(|format| self.is_of(format)).or_else(|| {
            around.find_map(|envelope| {
                let text = envelope.inside(self.head)?;
                let inner = Beginning::in_window(&text, self.window)?;
                all().find(|format| inner.is_of(format))
            })
        })
    }

    /// Whether lines of a format may be within others, by its texts and names alone.
    fn may_be_within(&self, format: &Format) -> bool {
        let is_of_lines = matches!(format.definition.kind, Kind::Text | Kind::Json);
        is_of_lines && self.has_texts_of(format) && self.may_be_late(&format.definition)
    }

    /// The lines without what is around them, for everything that may be.
    fn insides(&self) -> impl Iterator<Item = (Envelope, Vec<u8>)> {
        Envelope::all().filter_map(|envelope| Some((envelope, envelope.inside(self.head)?)))
    }

    /// Whether a text from within its lines is of a format.
    fn within(&self, text: &[u8], format: &Format) -> bool {
        Beginning::in_window(text, self.window).is_some_and(|inner| inner.is_of(format))
    }

    pub(super) fn is_of(&self, format: &Format) -> bool {
        let is_like = || self.begins_like(format) || self.has_lines_like(format);
        self.has_texts_of(format) && self.may_be_late(&format.definition) && is_like()
    }

    /// Whether there are lines of a format that is known to be it.
    fn has_lines_of(&self, format: &Format) -> bool {
        self.has_texts_of(format) && self.has_lines_like(format)
    }

    fn has_texts_of(&self, format: &Format) -> bool {
        let has = |text: &String| memchr::memmem::find(self.head, text.as_bytes()).is_some();
        format.definition.recognise.contains.iter().all(has)
    }

    fn has_lines_like(&self, format: &Format) -> bool {
        let definition = &format.definition;
        match definition.kind {
            Kind::Json => self.has_objects_of(definition) && self.has_line_like(format),
            Kind::Document => self.head.trim_ascii_start().starts_with(b"{"),
            Kind::Table => self.has_head_of(definition) || self.has_rows_of(format),
            Kind::Text => {
                let lines = format.lines_in(self.head);
                let is_line = |line: &[u8]| lines.iter().any(|of| of.is_match(line));
                let is_own = |line: &[u8]| is_line(line) || format.patterns().lost.iter().any(|of| of.is_match(line));
                // A short pattern tells most texts from a format much sooner than its long ones do.
                self.has_line_like(format)
                    && self.lines.iter().any(|line| is_line(line))
                    && self.are_enough(self.lines.iter().filter(|line| is_own(line)))
                    && (!format.has_whole_seconds()
                        || self.lines.iter().all(|line| !is_line(line) || format.agrees(line)))
            }
        }
    }

    /// Whether there are lines of a format, and behind the first ones so many that they are no strays in a log of
    /// something else, of which all other lines would be left out.
    fn are_enough(&self, mut found: impl Iterator) -> bool {
        /// One line in so many.
        const LEAST_PART: usize = 200;
        match self.window {
            Window::First => found.next().is_some(),
            Window::Whole => {
                let least = self.lines.len().div_ceil(LEAST_PART);
                found.take(least).count() == least
            }
        }
    }

    /// Behind the first lines, whether the lines of a format tell enough: of text those that are fixed at their
    /// beginning and hold a time, and only with a text that is looked for at once. Nothing is refused there because of
    /// a line.
    fn may_be_late(&self, definition: &Definition) -> bool {
        if self.window == Window::First {
            return true;
        }
        match definition.kind {
            Kind::Text => {
                let is_fixed = |pattern: &String| pattern.starts_with('^');
                let has_texts = !definition.recognise.contains.is_empty();
                definition.refuse.is_none()
                    && definition.time.is_some()
                    && has_texts
                    && definition.lines.iter().all(is_fixed)
            }
            Kind::Json => definition.recognise.fields.iter().all(|field| self.has_name(field)),
            Kind::Document => !self.is_of_objects(),
            Kind::Table => true,
        }
    }

    /// Whether a name of a field, which may be a path, is somewhere in the text.
    fn has_name(&self, field: &str) -> bool {
        field.split('|').any(|path| {
            let name = path.rsplit('.').next().unwrap_or(path);
            memchr::memmem::find(self.head, name.as_bytes()).is_some()
        })
    }

    /// Whether the first line is an object of its own: those of a document are divided or too long.
    fn is_of_objects(&self) -> bool {
        let is_whole = |line: &&[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
        self.lines.len() > 1 && self.lines.first().is_some_and(is_whole)
    }

    /// Whether one of the first lines is what such an input begins with. Its end need not be there.
    fn begins_like(&self, format: &Format) -> bool {
        format.is_begun_by(&self.lines[..self.lines.len().min(Beginning::OPENING)])
    }

    /// Whether any line is of a format, whatever else there is.
    fn has_some_line(&self, format: &Format) -> bool {
        let (definition, lines) = (&format.definition, format.lines_in(self.head));
        let is_line =
            |line: &[u8]| lines.iter().any(|pattern| pattern.is_match(line)) && format.agrees(line);
        let is_behind_syslog = |line: &[u8]| {
            Envelope::of_syslog().iter().any(|envelope| envelope.open(line).is_some_and(|line| is_line(&line.text)))
        };
        let is_row = |line: &[u8]| {
            head_of(line, definition).is_some() || format.row_pattern().is_some_and(|row| row.is_match(line))
        };
        match definition.kind {
            Kind::Text => self.lines.iter().any(|line| is_line(line) || is_behind_syslog(line)),
            Kind::Json => self.has_objects_of(definition) && self.has_line_like(format),
            Kind::Table => self.lines.iter().any(|line| is_row(line)),
            Kind::Document => false,
        }
    }

    fn has_objects_of(&self, definition: &Definition) -> bool {
        self.are_enough(self.objects().iter().filter(|object| {
            let is_there = |field: &String| has_field(object, field);
            definition.recognise.fields.iter().all(is_there)
                && !definition.recognise.without.iter().any(is_there)
        }))
    }

    /// The names of the fields of each object. Of a line that is longer than what is looked at, those up to there.
    fn objects(&self) -> &[Vec<String>] {
        self.objects.get_or_init(|| {
            let is_cut = memchr::memchr(b'\n', self.head).is_none();
            let mut reader = Objects::default();
            let mut names_of = |line: &&[u8]| {
                let mut names = Vec::new();
                let text = String::from_utf8_lossy(line);
                let mut read = |text: &str| reader.fields(text, |name, _| names.push(name.to_owned()));
                let _ = read(&text)
                    || repaired(&text).is_some_and(|text| read(&text))
                    || is_cut && closed(&text).is_some_and(|text| read(&text));
                names
            };
            self.lines.iter().filter(|line| line.starts_with(b"{")).map(&mut names_of).collect()
        })
    }

    /// Whether a line has what the pattern of a row needs, if there is one.
    fn may_have_row_of(&self, format: &Format) -> bool {
        let Some(necessary) = format.necessary_in_row() else { return true };
        self.lines.iter().any(|line| necessary.may_begin(line)) && necessary.may_be_in(self.head)
    }

    /// Whether one of the first lines matches the pattern, if there is one.
    fn has_line_like(&self, format: &Format) -> bool {
        if !self.may_have_row_of(format) {
            return false;
        }
        let Some(pattern) = format.row_pattern() else { return true };
        self.lines.iter().any(|line| pattern.is_match(line))
    }

    fn has_head_of(&self, definition: &Definition) -> bool {
        if definition.recognise.fields.is_empty() {
            return false;
        }
        let is_head = |line: &[u8]| head_of(line, definition).is_some();
        match &definition.head {
            // It may come behind many rows that stand below another one.
            Some(prefix) => memchr::memmem::find_iter(self.head, prefix.as_bytes()).any(|at| {
                let line = self.head.get(at..).unwrap_or_default();
                is_head(line.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii())
            }),
            None => self.lines.first().is_some_and(|line| is_head(line)),
        }
    }

    /// Whether nearly all of the first lines look like rows: one of a table that goes on may be cut.
    fn has_rows_of(&self, format: &Format) -> bool {
        const ENOUGH: usize = 20;
        if !self.may_have_row_of(format) {
            return false;
        }
        let Some(pattern) = format.row_pattern() else { return false };
        let (mut seen, mut fitting) = (0, 0);
        let mut open = OpenRow::default();
        for line in &self.lines {
            let Some(row) = open.close(Place { line: 1, byte: 0 }, line, true) else { continue };
            (seen, fitting) = (seen + 1, fitting + usize::from(pattern.is_match(row.1)));
            open.clear();
            if seen == ENOUGH {
                break;
            }
        }
        fitting * 10 >= seen * 9 && fitting > 0
    }
}
