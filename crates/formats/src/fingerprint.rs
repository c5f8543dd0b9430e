//! Statements without their literals, so that those that differ only in values are one.

/// Whose SQL it is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Double quotes are around names.
    Postgres,
    /// Double quotes are around texts, backslashes escape, `#` begins a comment.
    MySql,
}

/// The longest text of a statement that is looked at, in bytes.
pub(crate) const KEPT: usize = 8 << 10;

/// The longest fingerprint, in bytes.
const LONGEST: usize = 1_000;

/// Writes into `out` the statement in small letters, with `?` for every literal and parameter, one
/// `?` for a list of them, and single blanks.
pub fn fingerprint(statement: &[u8], dialect: Dialect, out: &mut Vec<u8>) {
    out.clear();
    let mut writer = Writer { out, blank: false };
    let mut rest = &statement[..statement.len().min(KEPT)];
    while let Some(&first) = rest.first() {
        if writer.out.len() >= LONGEST {
            break;
        }
        rest = if first.is_ascii_whitespace() {
            writer.blank = true;
            &rest[1..]
        } else if first.is_ascii_alphabetic() && rest.get(1) != Some(&b'\'') {
            writer.word(rest)
        } else if let Some(after) = comment(rest, dialect) {
            writer.blank = true;
            after
        } else if let Some(after) = literal(rest, dialect) {
            writer.value();
            after
        } else {
            writer.token(rest, dialect)
        };
    }
    while out.last().is_some_and(|last| matches!(last, b';' | b' ')) {
        out.pop();
    }
}

struct Writer<'o> {
    out: &'o mut Vec<u8>,
    /// Whether there was a blank before what comes next.
    blank: bool,
}

impl Writer<'_> {
    /// A name, a word or a sign; gives what is after it.
    fn token<'t>(&mut self, text: &'t [u8], dialect: Dialect) -> &'t [u8] {
        let quote = text[0];
        let is_quoted = quote == b'`' || quote == b'"' && dialect == Dialect::Postgres;
        let length = if is_quoted {
            memchr::memchr(quote, &text[1..]).map_or(text.len(), |end| end + 2)
        } else if is_word(quote) {
            text.iter().position(|&byte| !is_word(byte)).unwrap_or(text.len())
        } else {
            1
        };
        let (token, rest) = text.split_at(length);
        match token {
            b"," => {
                self.out.push(b',');
                self.blank = true;
                return rest;
            }
            b")" => self.blank = false,
            _ => self.write_blank(),
        }
        let small = |byte: &u8| if is_quoted { *byte } else { byte.to_ascii_lowercase() };
        self.out.extend(token.iter().map(small));
        if token == b"(" {
            self.blank = false;
        }
        self.join_rows();
        rest
    }

    /// A name or a word that begins with a letter, which most tokens are; gives what is after it.
    fn word<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        let length = text.iter().position(|&byte| !is_word(byte)).unwrap_or(text.len());
        let (word, rest) = text.split_at(length);
        self.write_blank();
        let start = self.out.len();
        self.out.extend_from_slice(word);
        self.out[start..].make_ascii_lowercase();
        rest
    }

    fn write_blank(&mut self) {
        let after = self.out.last();
        if self.blank && after.is_some_and(|last| *last != b'(') {
            self.out.push(b' ');
        }
        self.blank = false;
    }

    /// A literal: nothing if it is the next one of a list.
    fn value(&mut self) {
        self.drop_sign();
        if self.out.ends_with(b"?,") {
            self.out.pop();
            self.blank = false;
            return;
        }
        self.write_blank();
        self.out.push(b'?');
    }

    /// A sign that belongs to the number behind it.
    fn drop_sign(&mut self) {
        if self.blank || !matches!(self.out.last(), Some(b'-' | b'+')) {
            return;
        }
        let before = self.out[..self.out.len() - 1].trim_ascii_end().last();
        if before.is_some_and(|byte| b"(,=<>+-*/%".contains(byte)) {
            self.out.pop();
            self.blank = self.out.last() == Some(&b' ');
            if self.blank {
                self.out.pop();
            }
            self.blank |= self.out.last() == Some(&b',');
        }
    }

    /// `(?), (?)` are rows of one list.
    fn join_rows(&mut self) {
        if self.out.ends_with(b"(?), (?)") {
            self.out.truncate(self.out.len() - b", (?)".len());
        }
    }
}

/// For each byte whether it is part of a name.
const IS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let (mut at, mut byte) = (0, 0_u8);
    loop {
        let is_sign = matches!(byte, b'_' | b'$');
        table[at] = byte.is_ascii_alphanumeric() || is_sign || !byte.is_ascii();
        if byte == u8::MAX {
            break table;
        }
        (at, byte) = (at + 1, byte + 1);
    }
};

fn is_word(byte: u8) -> bool {
    IS_WORD[usize::from(byte)]
}

/// What is after a comment that the text begins with.
fn comment(text: &[u8], dialect: Dialect) -> Option<&[u8]> {
    if text.starts_with(b"/*") {
        return Some(memchr::memmem::find(text, b"*/").map_or(&[], |end| &text[end + 2..]));
    }
    let begins = text.starts_with(b"--") || dialect == Dialect::MySql && text[0] == b'#';
    begins.then(|| memchr::memchr(b'\n', text).map_or(&[][..], |end| &text[end..]))
}

/// What is after a literal or parameter that the text begins with.
fn literal(text: &[u8], dialect: Dialect) -> Option<&[u8]> {
    let mysql = dialect == Dialect::MySql;
    match text[0] {
        b'\'' => Some(after_quoted(text, mysql)),
        b'"' if mysql => Some(after_quoted(text, mysql)),
        b'e' | b'E' | b'b' | b'B' | b'x' | b'X' | b'n' | b'N' if text.get(1) == Some(&b'\'') => {
            let escapes = mysql || text[0].eq_ignore_ascii_case(&b'e');
            Some(after_quoted(&text[1..], escapes))
        }
        b'$' => {
            let digits = text[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 0 { Some(&text[1 + digits..]) } else { after_dollars(text) }
        }
        b'0'..=b'9' => {
            let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_');
            Some(&text[text.iter().take_while(|byte| part(byte)).count()..])
        }
        b'.' if text.get(1).is_some_and(u8::is_ascii_digit) => literal(&text[1..], dialect),
        b'?' => Some(&text[1..]),
        _ => None,
    }
}

/// What is after a text in quotation marks; a doubled mark is part of it.
fn after_quoted(text: &[u8], escapes: bool) -> &[u8] {
    let mark = text[0];
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        let doubled = byte == mark && text.get(at + 1) == Some(&mark);
        if doubled || escapes && byte == b'\\' {
            at += 2;
        } else if byte == mark {
            return &text[at + 1..];
        } else {
            at += 1;
        }
    }
    &[]
}

/// What is after `$tag$text$tag$`.
fn after_dollars(text: &[u8]) -> Option<&[u8]> {
    let tag = text[1..].iter().position(|&byte| byte == b'$')? + 2;
    let plain = text[1..tag - 1].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let end = memchr::memmem::find(&text[tag..], &text[..tag]).filter(|_| plain)?;
    Some(&text[tag + end + tag..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(statement: &str, dialect: Dialect) -> String {
        let mut out = Vec::new();
        fingerprint(statement.as_bytes(), dialect, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn statements_that_differ_in_values_are_one() {
        let pg = |statement| of(statement, Dialect::Postgres);
        let update = "update pgbench_accounts set abalance = abalance + ? where aid = ?";
        assert_eq!(
            pg("UPDATE pgbench_accounts SET abalance = abalance + -3051 WHERE aid = 1637924;"),
            update
        );
        assert_eq!(
            pg("UPDATE pgbench_accounts SET abalance = abalance + 17 WHERE aid = $1"),
            update
        );
        assert_eq!(
            pg("select count(*) from t where b in ('x1','x2', 'it''s')"),
            "select count(*) from t where b in (?)"
        );
        assert_eq!(
            pg("insert into t values (3001,'a'),(3002,'b'), ( 3 , 'c' )"),
            "insert into t values (?)"
        );
        assert_eq!(
            pg(
                "select count(*)\n\tfrom t /* 5 */ where b like E'x\\'%' -- more\n and \"A b\" > 1.5e3"
            ),
            "select count(*) from t where b like ? and \"A b\" > ?"
        );
        assert_eq!(pg("select $tag$ it's $$ 5 $tag$, $1, t2.c4"), "select ?, t2.c4");
        assert_eq!(pg("select a -5, a - 5, (-5)"), "select a -?, a - ?, (?)");
        assert_eq!(pg("  "), "");
    }

    #[test]
    fn mysql_has_other_quotation_marks() {
        let my = |statement| of(statement, Dialect::MySql);
        assert_eq!(
            my("SELECT `A b` FROM t WHERE c = \"x\\\"y\" # more\n AND d=0x1F"),
            "select `A b` from t where c = ? and d=?"
        );
        assert_eq!(my("select 'open"), "select ?");
    }
}
