//! Lines of JSON that differ from one before them in nothing but the values of their fields: these
//! are found at once, and the rest need not be read anew.

use std::ops::Range;

use super::json::{Field, Fields, OwnedField, is_near, likely, path_of, times_of};
use super::names::Moment;
use super::request::FieldChoice;

/// What is the same in all lines of one shape.
struct Shape {
    values: Vec<Value>,
    /// What follows the last value.
    end: Box<[u8]>,
    fields: Vec<Known>,
    /// Which of the fields may be the time, and which a latency.
    times: Vec<(usize, Moment)>,
    likely: Vec<usize>,
}

/// A text or a number whose value each line has for itself.
struct Value {
    /// What stands between it and the value before.
    before: Box<[u8]>,
    is_text: bool,
}

/// A field of a shape.
struct Known {
    name: String,
    text: Text,
    is_number: bool,
}

/// Where the text of a field stands.
enum Text {
    /// In the value of this number.
    Of(usize),
    /// In the shape: `true` or `false`.
    Always(&'static str),
}

/// A value of the line that is being read.
#[derive(Debug)]
struct Found {
    at: Range<usize>,
    /// As numbers are printed, where that is not how it is written.
    printed: Option<String>,
}

/// The shapes of the lines so far.
#[derive(Default)]
pub(super) struct Shapes {
    all: Vec<Shape>,
    recent: usize,
    found: Vec<Found>,
}

impl Shapes {
    /// Shapes that are remembered: a program has a few messages with fields of their own.
    const MOST: usize = 16;

    /// The shape of a line whose values are plain. `exact` where the digits of its numbers are to be
    /// those in which they are printed.
    pub(super) fn recognise(&mut self, line: &str, exact: bool) -> Option<usize> {
        let recent = self.all.get(self.recent)?;
        if recent.matches(line, exact, &mut self.found) {
            return Some(self.recent);
        }
        let matching = |shape: &Shape| shape.matches(line, exact, &mut self.found);
        self.recent = self.all.iter().position(matching)?;
        Some(self.recent)
    }

    /// The fields of a line that was just recognised.
    pub(super) fn fields<'f>(
        &'f self,
        shape: usize,
        line: &'f str,
    ) -> Fields<'f, impl Fn(usize) -> Field<'f>> {
        let shape = &self.all[shape];
        let field = move |at: usize| {
            let Known { name, text, is_number } = &shape.fields[at];
            let text: &str = match text {
                Text::Always(text) => text,
                Text::Of(value) => self.found[*value].text(line),
            };
            Field { name, text, is_number: *is_number }
        };
        let (likely, times) = (&shape.likely, &shape.times);
        Fields { count: shape.fields.len(), field, likely, times }
    }

    /// Remembers the shape of a line with these fields, if it has one that says the same.
    pub(super) fn learn(
        &mut self,
        line: &str,
        fields: &[OwnedField],
        (wanted, name): (&FieldChoice, Option<&str>),
    ) {
        if self.all.len() >= Shapes::MOST {
            return;
        }
        let Some(mut shape) = Scanner::shape(line) else { return };
        (shape.times, shape.likely) = (times_of(fields, wanted), likely(fields, name));
        self.all.push(shape);
        let at = self.all.len() - 1;
        if !self.agrees(at, line, fields) {
            self.all.pop();
        }
    }

    /// Whether a line has these fields by its shape, too.
    fn agrees(&mut self, shape: usize, line: &str, fields: &[OwnedField]) -> bool {
        if !self.all[shape].matches(line, true, &mut self.found) {
            return false;
        }
        let by_shape = self.fields(shape, line);
        by_shape.count == fields.len()
            && fields.iter().enumerate().all(|(at, field)| (by_shape.field)(at) == field.borrowed())
    }
}

impl Found {
    fn text<'f>(&'f self, line: &'f str) -> &'f str {
        self.printed.as_deref().unwrap_or_else(|| line.get(self.at.clone()).unwrap_or_default())
    }
}

impl Shape {
    fn matches(&self, line: &str, exact: bool, found: &mut Vec<Found>) -> bool {
        self.find(line, exact, found).is_some()
    }

    /// Finds the values of a line; `None` if it is of another shape.
    fn find(&self, line: &str, exact: bool, found: &mut Vec<Found>) -> Option<()> {
        found.clear();
        let (bytes, mut at) = (line.as_bytes(), 0);
        for value in &self.values {
            let rest = bytes.get(at..)?.strip_prefix(&*value.before)?;
            let start = at + value.before.len();
            let (length, is_plain) = if value.is_text { text(rest)? } else { number(rest, exact)? };
            at = start + length;
            let printed = if is_plain { None } else { Some(printed(line.get(start..at)?)?) };
            found.push(Found { at: start..at, printed });
        }
        (bytes.get(at..)? == &*self.end).then_some(())
    }
}

/// The length of a text up to its quotation mark; `None` if it has escapes.
fn text(bytes: &[u8]) -> Option<(usize, bool)> {
    let length = memchr::memchr(b'"', bytes)?;
    let is_plain = bytes[..length].iter().all(|byte| *byte >= b' ' && *byte != b'\\');
    is_plain.then_some((length, true))
}

/// The length of a number, and whether it is printed as it is written; `None` if it has a sign or an
/// exponent.
fn number(bytes: &[u8], exact: bool) -> Option<(usize, bool)> {
    /// Digits that come out of a floating-point number as they went in.
    const SURE: usize = 15;
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(bytes);
    let leads = whole > 1 && bytes[0] == b'0';
    if whole == 0 || whole > 18 || leads {
        return None;
    }
    let (length, is_plain) = match bytes.get(whole) {
        Some(b'.') => {
            let fraction = digits(&bytes[whole + 1..]);
            let length = whole + 1 + fraction;
            let is_sure = !exact && whole + fraction <= SURE && bytes[length - 1] != b'0';
            (length, is_sure && fraction > 0)
        }
        _ => (whole, true),
    };
    let goes_on = matches!(bytes.get(length), Some(b'e' | b'E' | b'.'));
    let is_number = bytes[length - 1].is_ascii_digit() && !goes_on;
    is_number.then_some((length, is_plain))
}

/// A number as it is printed.
fn printed(number: &str) -> Option<String> {
    serde_json::from_str::<serde_json::Number>(number).ok().map(|number| number.to_string())
}

/// Finds the shape of a line that is valid JSON.
struct Scanner<'l> {
    line: &'l str,
    at: usize,
    /// The end of the last value.
    from: usize,
    shape: Shape,
}

impl<'l> Scanner<'l> {
    fn shape(line: &'l str) -> Option<Shape> {
        let (values, fields) = (Vec::new(), Vec::new());
        let (end, times, likely) = (Box::default(), Vec::new(), Vec::new());
        let shape = Shape { values, end, fields, times, likely };
        let mut scanner = Scanner { line, at: 0, from: 0, shape };
        scanner.object("")?;
        scanner.shape.end = line.as_bytes().get(scanner.from..)?.into();
        Some(scanner.shape)
    }

    fn object(&mut self, path: &str) -> Option<()> {
        self.sign(b'{')?;
        while self.peek()? != b'}' {
            let name = self.quoted()?;
            let name = self.line.get(name).filter(|name| !name.contains('\\'))?;
            self.sign(b':')?;
            self.value(&path_of(path, name))?;
            if self.peek()? == b',' {
                self.sign(b',')?;
            }
        }
        self.sign(b'}')
    }

    fn value(&mut self, path: &str) -> Option<()> {
        match self.peek()? {
            b'{' if is_near(path) => self.object(path),
            b'{' | b'[' => self.nested(),
            b'"' => {
                let text = self.quoted()?;
                self.add(path, text, true)
            }
            b't' => self.word(path, "true"),
            b'f' => self.word(path, "false"),
            b'n' => self.skip("null"),
            _ => {
                let rest = self.rest()?;
                let goes_on = |byte: &&u8| !matches!(byte, b',' | b'}' | b' ');
                let number = self.at..self.at + rest.iter().take_while(goes_on).count();
                self.at = number.end;
                self.add(path, number, false)
            }
        }
    }

    /// Adds a field whose value each line has for itself.
    fn add(&mut self, path: &str, value: Range<usize>, is_text: bool) -> Option<()> {
        // A line with a value that is not plain has no shape.
        let bytes = self.line.as_bytes().get(value.start..)?;
        let (length, _) = if is_text { text(bytes)? } else { number(bytes, true)? };
        if length != value.len() {
            return None;
        }
        let before = self.line.as_bytes().get(self.from..value.start)?.into();
        self.from = value.end;
        let text = Text::Of(self.shape.values.len());
        self.shape.values.push(Value { before, is_text });
        self.shape.fields.push(Known { name: path.to_owned(), text, is_number: !is_text });
        Some(())
    }

    fn word(&mut self, path: &str, word: &'static str) -> Option<()> {
        self.skip(word)?;
        let text = Text::Always(word);
        self.shape.fields.push(Known { name: path.to_owned(), text, is_number: false });
        Some(())
    }

    fn skip(&mut self, word: &str) -> Option<()> {
        self.rest()?.strip_prefix(word.as_bytes())?;
        self.at += word.len();
        Some(())
    }

    /// Passes over a list, or an object that is not looked into.
    fn nested(&mut self) -> Option<()> {
        let mut depth = 0_u32;
        loop {
            match self.peek()? {
                b'"' => {
                    self.quoted()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// Passes over a text; where it stands without its quotation marks.
    fn quoted(&mut self) -> Option<Range<usize>> {
        self.sign(b'"')?;
        let start = self.at;
        loop {
            self.at += memchr::memchr2(b'"', b'\\', self.rest()?)?;
            if self.rest()?.first() == Some(&b'"') {
                self.at += 1;
                return Some(start..self.at - 1);
            }
            self.at += 2;
        }
    }

    fn sign(&mut self, sign: u8) -> Option<()> {
        let found = self.peek()? == sign;
        self.at += 1;
        found.then_some(())
    }

    /// The next byte that is no blank.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.rest()?;
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.rest()?.first().copied()
    }

    fn rest(&self) -> Option<&'l [u8]> {
        self.line.as_bytes().get(self.at..)
    }
}

#[cfg(test)]
mod tests {
    use super::super::json::fields;
    use super::*;

    /// The fields of a line by the shapes so far; none if it has no known shape.
    fn by_shape(shapes: &mut Shapes, line: &str) -> Option<Vec<(String, String, bool)>> {
        let shape = shapes.recognise(line, true)?;
        let known = shapes.fields(shape, line);
        let field = |at: usize| {
            let Field { name, text, is_number } = (known.field)(at);
            (name.to_owned(), text.to_owned(), is_number)
        };
        Some((0..known.count).map(field).collect())
    }

    fn by_values(line: &str) -> Option<Vec<(String, String, bool)>> {
        let owned = |field: &OwnedField| {
            let Field { name, text, is_number } = field.borrowed();
            (name.to_owned(), text.to_owned(), is_number)
        };
        fields(line).map(|fields| fields.iter().map(owned).collect())
    }

    fn learned(lines: &[&str]) -> Shapes {
        let mut shapes = Shapes::default();
        for line in lines {
            shapes.learn(line, &fields(line).unwrap(), (&FieldChoice::default(), None));
        }
        shapes
    }

    const LINES: [&str; 6] = [
        r#"{"ts":"2026-11-21T05:15:14Z","path":"/a","duration_ms":1.25}"#,
        r#"{ "a" : {"b": {"c": {"d": {"e": "deep", "f": {"g": 1}}}}}, "ok": true, "no": null }"#,
        r#"{"list":[1,{"a":"]"},"x\"]"],"n":17,"x":{}}"#,
        r#"{"t":1763733600.312345,"took":"12ms","ok":false}"#,
        r#"{"said":"\u0041 \"b\"","n":-3}"#,
        "{}",
    ];

    #[test]
    fn lines_of_known_shapes_have_the_fields_that_they_have_by_their_values() {
        let mut shapes = learned(&LINES);
        for line in [
            LINES[0],
            LINES[1],
            LINES[2],
            LINES[3],
            LINES[5],
            r#"{"ts":"now","path":"","duration_ms":1250}"#,
            r#"{"ts":"þ","path":"{€}","duration_ms":0.000012}"#,
            r#"{"ts":"2","path":"x","duration_ms":1.50}"#,
            r#"{"ts":"2","path":"x","duration_ms":100000000000000.123}"#,
            r#"{"list":[1,{"a":"]"},"x\"]"],"n":0,"x":{}}"#,
        ] {
            assert_eq!(by_shape(&mut shapes, line), by_values(line), "{line}");
        }
    }

    #[test]
    fn lines_that_differ_in_more_are_of_no_known_shape() {
        let mut shapes = learned(&LINES);
        for line in [
            r#"{"ts":"2","path":"x","duration_ms":01}"#,
            r#"{"ts":"2","path":"x","duration_ms":1.}"#,
            r#"{"ts":"2","path":"x","duration_ms":-1}"#,
            r#"{"ts":"2","path":"x","duration_ms":1e3}"#,
            r#"{"ts":"2","path":"x","duration_ms":1.2.3}"#,
            r#"{"ts":"2","path":"x","duration_ms":"1"}"#,
            r#"{"ts":"2","path":"a\"b","duration_ms":1}"#,
            "{\"ts\":\"2\",\"path\":\"a\tb\",\"duration_ms\":1}",
            r#"{"ts":"2","path":"x","duration_ms":1"#,
            r#"{"ts":"2","path":"x","duration_ms":1}}"#,
            r#"{"ts":"2","duration_ms":1}"#,
        ] {
            assert_eq!(by_shape(&mut shapes, line), None, "{line}");
        }
    }

    #[test]
    fn a_name_that_occurs_twice_gives_no_shape() {
        for line in [r#"{"a":1,"a":2}"#, r#"{"a":1,"a":null}"#, r#"{"a":{"b":1},"a":3}"#] {
            assert_eq!(by_shape(&mut learned(&[line]), line), None, "{line}");
        }
    }

    #[test]
    fn no_more_shapes_are_remembered_than_a_few() {
        let lines: Vec<String> = (0..100).map(|key| format!("{{\"k{key}\":1}}")).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(learned(&lines).all.len(), Shapes::MOST);
    }
}
