//! Finding out which column holds what.

use isotherm_frame::{Place, Rejection, Unit, numbers::counted};

use super::cells::{
    GUESS, has_decimal_commas, has_six_decimals, is_latency, is_latency_with_comma, is_nothing,
    is_numeric, is_plain_latency, is_plain_latency_with_comma, looks_like_columns, names_separator,
    roles_of_header, separator_of,
};
use super::fields::{Fields, Separator};
use super::layout::Layout;
use super::hint::{contradiction, left_over, two_units};
use super::names::{TimeRole, Role, latencies, settled, unit_of_column};
use super::time::{DateOrder, Form, form_of, order_of_date};
use crate::foreign::Foreign;
use crate::lines::{first_lines, usual_decimals};
use crate::number::{self, shown, with_point};
use crate::{Context, DecodeError, Line, Note, Sink};

/// Looks for the first line of data and what its columns are.
pub(super) struct Finder<'c> {
    context: &'c Context,
    /// The format of another tool that the text was recognised as.
    known: Option<Foreign>,
    /// From the user, a header or a known format.
    roles: Option<Vec<Role>>,
    /// Which moment of an event the time is.
    moment: TimeRole,
    from_header: bool,
    /// The head above the data.
    head_line: Option<Vec<u8>>,
    /// Where the first line is that was no data.
    first: Option<(Place, String)>,
    /// How the text begins.
    head: Vec<u8>,
    /// Whether some number has a comma that can only be a decimal one.
    decimal_comma: bool,
}

/// What to do when columns cannot be known.
const NAME_THEM: &str = "a time and a latency in two plain columns, or the name of each column in \
    --columns (time, latency, - to skip, other names become attributes) and the unit in --unit";

impl<'c> Finder<'c> {
    const ASSUMED_UNIT: &'static str =
        "the latencies have no unit: microseconds are assumed (--unit)";

    const END: &'static str = "the time of a line is taken as the end of its event (if it is the \
        beginning, name that column start: --columns start,latency)";

    const FRACTIONS: &'static str = "the latencies have no unit: most are fractions below one, so that \
        seconds are assumed (--unit)";

    const DECIMAL_COMMA: &'static str = "some numbers have a decimal comma, as in 1,25: a comma is read as one in all numbers";

    const SIX_DECIMALS: &'static str = "the latencies have no unit: with six decimals, seconds are \
                                        assumed (--unit)";

    /// `known` is the format of another tool that the text was recognised as: its columns are
    /// those of the text unless the user says otherwise.
    pub(super) fn new(
        context: &'c Context,
        known: Option<Foreign>,
        head: &[u8],
    ) -> Result<Finder<'c>, DecodeError> {
        let given = context.columns.as_ref().map(|columns| columns.names.clone());
        let names = given.or_else(|| {
            let names = known.as_ref().and_then(Foreign::columns)?;
            Some(names.split(',').map(str::to_owned).collect())
        });
        let roles =
            names.map(|names| settled(names.iter().map(|name| Role::named(name)).collect()));
        let (roles, moment) = roles.map_or((None, TimeRole::Unnamed), |(all, of)| (Some(all), of));
        let decimal_comma = has_decimal_commas(head);
        let (from_header, head_line, first, head) = (false, None, None, head.to_vec());
        let finder = Finder {
            context,
            known,
            roles,
            moment,
            from_header,
            head_line,
            first,
            head,
            decimal_comma,
        };
        let given = finder.roles.as_deref().map(latencies);
        match given {
            None | Some(1) => Ok(finder),
            Some(count) => Err(DecodeError::Malformed {
                place: Place { line: 1, byte: 0 },
                found: format!("--columns names {count} columns latency"),
                expected: "exactly one column named latency".into(),
            }),
        }
    }

    /// Looks at a line; gives the layout if it is the first line of data.
    pub(super) fn line(
        &mut self,
        line: Line<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Option<Layout>, DecodeError> {
        let text = line.bytes.trim_ascii();
        if text.is_empty() {
            return Ok(None);
        }
        if names_separator(line.bytes) && self.first.is_none() {
            sink.note(Note::Ignored);
            return Ok(None);
        }
        if text.starts_with(b"#") {
            self.comment(text);
            sink.note(Note::Ignored);
            return Ok(None);
        }
        if let Some(layout) = self.data(line, sink)? {
            return Ok(Some(layout));
        }
        self.no_data(line, sink)?;
        Ok(None)
    }

    /// The input has ended without a line of data.
    pub(super) fn finish(self) -> Result<(), DecodeError> {
        match (self.first, self.known) {
            (Some(first), _) => Err(malformed(first)),
            (None, Some(known)) => {
                let (name, advice) = (known.name, known.advice());
                Err(DecodeError::Nothing(format!("there is no latency in {name}: {advice}")))
            }
            (None, None) => Ok(()),
        }
    }

    fn data(&self, line: Line<'_>, sink: &mut dyn Sink) -> Result<Option<Layout>, DecodeError> {
        let exact = self.roles.is_none();
        let roles = self.roles.as_deref().unwrap_or(&GUESS);
        let passes = match (exact, self.decimal_comma) {
            (true, false) => is_plain_latency,
            (false, false) => is_latency,
            (true, true) => is_plain_latency_with_comma,
            (false, true) => is_latency_with_comma,
        };
        let separator = separator_of(line.bytes, roles, exact, passes);
        let Some(separator) = separator else { return Ok(None) };
        let fields = Fields::of(line.bytes, separator);
        if self.has_too_many(&fields, separator, line.bytes) {
            return Ok(None);
        }
        let decimal_comma = self.reads_commas(separator);
        let Some(times) = self.times(line, (&fields, separator), roles)? else { return Ok(None) };
        let mut roles = roles.to_vec();
        if self.from_header {
            self.skip_numbers(&mut roles, separator, line.bytes, sink);
        }
        let latency = roles.iter().position(|role| matches!(role, Role::Latency(_)));
        let first = &*with_point(fields.get(line.bytes, latency.unwrap_or(0)), decimal_comma);
        let are_fractions = self.are_fractions(separator, latency.unwrap_or(0));
        let latency_unit = self.latency_unit(&roles, first, are_fractions, sink);
        let moment = self.moment;
        if moment == TimeRole::Unnamed && !times.is_empty() {
            sink.note(Note::Assumed(Finder::END.into()));
        }
        if decimal_comma {
            sink.note(Note::Assumed(Finder::DECIMAL_COMMA.into()));
        }
        let skips = roles.contains(&Role::Skip);
        let others = skips || fields.len() > roles.len();
        let most = match separator.byte() {
            _ if exact => roles.len(),
            Some(_) => fields.len(),
            // The last column may be a text with blanks in it.
            None => usize::MAX,
        };
        let layout = Layout {
            separator,
            most,
            last_decimals: self.last_decimals(separator, &roles),
            roles,
            latency_unit,
            decimal_comma,
            times,
            moment,
            others,
            head: self.head_line.clone(),
        };
        let unread = left_over(&layout.roles, &fields, line.bytes).filter(|_| !exact);
        let odd = self.known.as_ref().and_then(|known| contradiction(known, &layout));
        for said in unread.into_iter().chain(odd) {
            sink.note(Note::Said(said.into()));
        }
        Ok(Some(layout))
    }

    /// The columns of the time, each with how it is written; none where one holds no time.
    fn times(
        &self,
        line: Line<'_>,
        (fields, separator): (&Fields, Separator),
        roles: &[Role],
    ) -> Result<Option<Vec<(usize, Form)>>, DecodeError> {
        let is_comma = self.reads_commas(separator);
        let mut times = Vec::new();
        for (index, role) in roles.iter().enumerate() {
            let Role::Time(named) = role else { continue };
            let text = with_point(fields.get(line.bytes, index), is_comma);
            let form = form_of(&text, named.or(self.context.time_unit)).map(|form| {
                form.or_else(|()| {
                    self.order_of_dates(separator, index).map(Form::Slashed).ok_or(())
                })
            });
            match form {
                Some(Ok(form)) => times.push((index, form)),
                Some(Err(())) => return Err(unclear_time(line.place, &text)),
                None => return Ok(None),
            }
        }
        Ok(Some(times))
    }

    /// Whether a line has more columns than the head names: a comma within a number, or a value that
    /// should be in quotes. Empty ones at the end of every line are a matter of taste.
    fn has_too_many(&self, fields: &Fields, separator: Separator, line: &[u8]) -> bool {
        let named = self.roles.as_ref().map_or(usize::MAX, Vec::len);
        let mut more = (named..fields.len()).map(|index| fields.get(line, index));
        self.from_header && separator.byte().is_some() && more.any(|text| !text.is_empty())
    }

    /// The first lines below the head.
    fn first_rows(&self) -> impl Iterator<Item = &[u8]> {
        let is_row = |line: &&[u8]| !line.starts_with(b"#") && roles_of_header(line).is_none();
        first_lines(&self.head).filter(is_row).take(64)
    }

    /// How many decimals the last column has, if that is a number which matters.
    fn last_decimals(&self, separator: Separator, roles: &[Role]) -> Option<usize> {
        if !matches!(roles.last(), Some(Role::Time(_) | Role::Latency(_))) {
            return None;
        }
        usual_decimals(self.first_rows().filter_map(|line| {
            let fields = Fields::of(line, separator);
            (fields.len() == roles.len()).then(|| fields.get(line, roles.len() - 1))
        }))
    }

    /// Of a header's other columns only words tell series apart: numbers would make thousands.
    fn skip_numbers(
        &self,
        roles: &mut [Role],
        separator: Separator,
        line: &[u8],
        sink: &mut dyn Sink,
    ) {
        let mut skipped = Vec::new();
        for (index, role) in roles.iter_mut().enumerate() {
            let Role::Attribute(name) = role else { continue };
            if self.are_numbers(separator, index, line) {
                skipped.push(name.clone());
                *role = Role::Skip;
            }
        }
        if !skipped.is_empty() {
            let names = skipped.join(", ");
            let said = format!("columns of numbers are not used: {names} (--columns names columns)");
            sink.note(Note::Said(said.into()));
        }
    }

    /// Whether a column holds numbers: one odd cell makes no words of them. Of a live input there may be
    /// no more than this line.
    fn are_numbers(&self, separator: Separator, index: usize, line: &[u8]) -> bool {
        let (mut numbers, mut words) = (0, 0);
        let is_comma = self.reads_commas(separator);
        for line in self.first_rows().chain([line]) {
            let fields = Fields::of(line, separator);
            let text = &*with_point(fields.get(line, index), is_comma);
            match number::nanos(text, Unit::Nanos) {
                Ok(_) => numbers += 1,
                Err(_) if is_nothing(text) => {}
                Err(_) => words += 1,
            }
        }
        numbers > words
    }

    /// The order of day and month in a column of the first lines, if one of them leaves no choice.
    fn order_of_dates(&self, separator: Separator, index: usize) -> Option<DateOrder> {
        first_lines(&self.head).find_map(|line| {
            let fields = Fields::of(line, separator);
            order_of_date(fields.get(line, index))
        })
    }

    /// Whether a comma in a number is read as a decimal one. Where latencies have points and none has a comma, commas in
    /// other columns are those of lists, and say nothing of numbers.
    fn reads_commas(&self, separator: Separator) -> bool {
        if !self.decimal_comma || separator != Separator::Semicolon {
            return false;
        }
        let roles = self.roles.as_deref().unwrap_or(&GUESS);
        let latency = roles.iter().position(|role| matches!(role, Role::Latency(_))).unwrap_or(0);
        let mut has_points = false;
        for line in self.first_rows() {
            let fields = Fields::of(line, separator);
            let text = fields.get(line, latency);
            if text.contains(&b',') {
                return true;
            }
            has_points |= text.contains(&b'.') && is_latency(text);
        }
        !has_points
    }

    /// Whether most latencies of the first lines are written as fractions below one: of a microsecond
    /// nobody measures those.
    fn are_fractions(&self, separator: Separator, latency: usize) -> bool {
        const ENOUGH: usize = 64;
        let (mut fractions, mut others) = (0, 0);
        let is_comma = self.reads_commas(separator);
        for line in first_lines(&self.head).take(ENOUGH) {
            let fields = Fields::of(line, separator);
            let text = &*with_point(fields.get(line, latency), is_comma);
            if number::nanos(text, Unit::Nanos).is_err() {
                continue;
            }
            if text.starts_with(b"0.") || text.starts_with(b".") { fractions += 1 } else { others += 1 }
        }
        fractions > others
    }

    fn latency_unit(
        &self,
        roles: &[Role],
        first: &[u8],
        are_fractions: bool,
        sink: &mut dyn Sink,
    ) -> Unit {
        let named = roles.iter().find_map(|role| match role {
            Role::Latency(unit) => *unit,
            _ => None,
        });
        if let Some(said) = two_units(self.context.unit, named) {
            sink.note(Note::Said(said.into()));
        }
        self.context.unit.or(named).unwrap_or_else(|| {
            if number::nanos(first, Unit::Nanos).is_err() && number::written_length(first).is_some() {
                // Each value says its unit.
                return Unit::Micros;
            }
            let (said, unit) = match (has_six_decimals(first), are_fractions) {
                (true, _) => (Finder::SIX_DECIMALS, Unit::Seconds),
                (false, true) => (Finder::FRACTIONS, Unit::Seconds),
                (false, false) => (Finder::ASSUMED_UNIT, Unit::Micros),
            };
            sink.note(Note::Said(said.into()));
            unit
        })
    }

    /// A line before the data: the first one may be a header.
    fn no_data(&mut self, line: Line<'_>, sink: &mut dyn Sink) -> Result<(), DecodeError> {
        if self.first.is_none() && self.header(line.bytes) {
            self.head_line.get_or_insert_with(|| line.bytes.trim_ascii().to_vec());
            sink.note(Note::Ignored);
            return Ok(());
        }
        let found = format!("'{}'", shown(line.bytes));
        self.first.get_or_insert_with(|| (line.place, found.clone()));
        let (reason, events) = match self.unusable(line.bytes) {
            Some(reason) => (reason, 1),
            None if self.roles.is_some() => (self.misfit(line.bytes), 0),
            // One odd line does not hide what all others are.
            None if looks_like_columns(&self.head) => (self.misfit(line.bytes), 0),
            None => return Err(malformed((line.place, found))),
        };
        sink.reject(Rejection { place: line.place, reason: reason.into(), events });
        Ok(())
    }

    /// What is wrong with a line that does not hold the columns that are named.
    fn misfit(&self, line: &[u8]) -> String {
        let named = self.roles.as_ref().map_or(0, |roles| roles.len() as u64);
        let counts = Separator::ALL.map(|separator| Fields::of(line, separator).len() as u64);
        let found = counts.into_iter().max().unwrap_or(0);
        let text = shown(line);
        // The last of them are blanks, which stand in any text.
        let cells = counts.into_iter().rev().skip(1).max().unwrap_or(0);
        if self.from_header && cells > named {
            return format!("{} where the head names {named}: '{text}'", counted(cells, "column"));
        }
        if found < named {
            format!("{} where {named} are named: '{text}'", counted(found, "column"))
        } else {
            format!("no time and latency in '{text}'")
        }
    }

    /// What is wrong with a line whose columns are numbers that cannot be used.
    fn unusable(&self, line: &[u8]) -> Option<String> {
        let roles = self.roles.as_deref().unwrap_or(&GUESS);
        let separator = separator_of(line, roles, self.roles.is_none(), is_numeric)?;
        let fields = Fields::of(line, separator);
        roles.iter().enumerate().find_map(|(index, role)| {
            let text = fields.get(line, index);
            let what = match role {
                Role::Time(_) if form_of(text, None).is_none() => "time",
                Role::Latency(_) => "latency",
                _ => return None,
            };
            number::nanos(text, Unit::Nanos).err().map(|wrong| wrong.about(what, text))
        })
    }

    /// Whether a line can be a header. One that names a time and a latency tells the columns,
    /// unless the user did; then it can still tell the unit.
    fn header(&mut self, line: &[u8]) -> bool {
        let header = roles_of_header(line);
        if self.roles.is_some() {
            return self.header_units(line) || header.is_some();
        }
        let Some(header) = header else { return false };
        self.from_header = true;
        let (roles, moment) = settled(header);
        (self.roles, self.moment) = (Some(roles), moment);
        true
    }

    /// A comment may be a header; prose about times and latencies is none.
    fn comment(&mut self, line: &[u8]) {
        let words = line.trim_ascii_start().strip_prefix(b"#").unwrap_or(line);
        let two = Fields::of(words, Separator::Blanks).len() == 2;
        let listed = Separator::ALL.iter().filter_map(|separator| separator.byte());
        let may_be = two || listed.into_iter().any(|byte| words.contains(&byte));
        if may_be && self.header(words) {
            self.head_line.get_or_insert_with(|| words.trim_ascii().to_vec());
        }
    }

    /// Takes units from a head, where the user named the columns without them: each from the name above the
    /// column that was named. Gives whether the line is a head: it has words where there are a time and a
    /// latency below.
    fn header_units(&mut self, line: &[u8]) -> bool {
        let Some(roles) = &mut self.roles else { return false };
        let is_timed = self.context.time_unit.is_none();
        for separator in Separator::ALL {
            let fields = Fields::of(line, separator);
            let is_wide = separator.byte().is_some() && fields.len() > roles.len();
            let is_above = |(index, role): (usize, &Role)| {
                !matches!(role, Role::Time(_) | Role::Latency(_)) || is_name(fields.get(line, index))
            };
            if !(is_wide || fields.len() == roles.len()) || !roles.iter().enumerate().all(is_above) {
                continue;
            }
            for (index, role) in roles.iter_mut().enumerate() {
                let unit = || unit_of_column(&String::from_utf8_lossy(&fields.text(line, index)));
                match role {
                    Role::Latency(none @ None) => *none = unit(),
                    Role::Time(none @ None) if is_timed => *none = unit(),
                    _ => {}
                }
            }
            return true;
        }
        false
    }
}

/// Whether a cell is the name of a column: a word, and no value.
fn is_name(text: &[u8]) -> bool {
    text.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
        && !is_numeric(text)
        && !is_nothing(text)
        && number::written_length(text).is_none()
        && form_of(text, None).is_none()
}

fn malformed((place, found): (Place, String)) -> DecodeError {
    DecodeError::Malformed { place, found, expected: NAME_THEM.into() }
}

fn unclear_time(place: Place, text: &[u8]) -> DecodeError {
    if text.iter().any(|byte| matches!(byte, b'/' | b'-')) {
        return DecodeError::Malformed {
            place,
            found: format!("the time {}", shown(text)),
            expected: "a date of which day and month can be distinguished, such as 2026-03-13 or \
                13.03.2026"
                .into(),
        };
    }
    DecodeError::Malformed {
        place,
        found: format!("the time {}", shown(text)),
        expected: "a date, or seconds, ms, us or ns since 1970; for another clock say \
            --time-unit s, ms, us or ns"
            .into(),
    }
}
