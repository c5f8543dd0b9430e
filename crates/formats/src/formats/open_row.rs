//! Rows of several lines.

use isotherm_frame::Place;

/// A row of which a cell in quotation marks holds the end of a line, as `JMeter` writes the text of an error.
#[derive(Default)]
pub(super) struct OpenRow {
    place: Option<Place>,
    bytes: Vec<u8>,
    lines: u32,
}

impl OpenRow {
    /// Lines of a cell: more show that a quotation mark is missing.
    const MOST: u32 = 200;

    /// The row that a line ends, which is most often the line itself.
    pub(super) fn close<'l>(&'l mut self, place: Place, line: &'l [u8], ended: bool) -> Option<(Place, &'l [u8])> {
        let is_odd = has_odd_quotes(line);
        if self.place.is_none() && !is_odd {
            return Some((place, line));
        }
        let first = *self.place.get_or_insert(place);
        if !self.bytes.is_empty() {
            self.bytes.push(b' ');
        }
        self.bytes.extend_from_slice(line);
        self.lines += 1;
        let is_closed = self.lines > 1 && is_odd;
        let is_given_up = self.lines >= OpenRow::MOST || !ended;
        (is_closed || is_given_up).then_some((first, self.bytes.as_slice()))
    }

    /// The place of a row that is open where a line that can be one of its own follows: its closing quotation
    /// mark is missing, as in a row that was cut and written on behind.
    pub(super) fn unclosed(&self, line: &[u8]) -> Option<Place> {
        let place = self.place?;
        (!has_odd_quotes(line)).then_some(place)
    }

    /// The place of a row that is open.
    pub(super) fn pending(&self) -> Option<Place> {
        self.place
    }

    pub(super) fn clear(&mut self) {
        self.place = None;
        self.bytes.clear();
        self.lines = 0;
    }
}

/// Whether the number of quotation marks is odd. Most lines have none, which is found faster than a count.
fn has_odd_quotes(line: &[u8]) -> bool {
    let first = memchr::memchr(b'"', line);
    first.is_some_and(|first| memchr::memchr_iter(b'"', &line[first..]).count() % 2 == 1)
}
