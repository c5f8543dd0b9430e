//! Addresses and command lines without passwords: what a recording may say about its origin.

/// What stands where a secret was.
const HIDDEN: &str = "***";

/// Words that a secret follows, after `=` or, as an option, after a space.
const KEYS: [&str; 5] = ["password", "passwd", "pwd", "token", "secret"];

/// Programs whose logins are written `user/password@service`.
const ORACLE_TOOLS: [&str; 5] = ["sqlplus", "sqlcl", "rman", "expdp", "impdp"];

/// An address or command line with `***` for every password in it: of `user:password@` after
/// `://`, of `user/password@service` where one of Oracle's tools is named, the values of
/// `password=` and its kin (also `PGPASSWORD=`), and the word after `--password`.
///
/// Where it is not certain what belongs to a password, it is hidden. What has been hidden stays
/// as it is.
pub fn without_secrets(text: &str) -> String {
    let text = hidden_after_keys(text.to_owned());
    let logins = ORACLE_TOOLS.iter().any(|tool| text.contains(tool));
    let mut kept = String::with_capacity(text.len());
    let mut secret_follows = false;
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end();
        let (start, end) = quotes_around(bare);
        let inner = &bare[start..end];
        kept.push_str(&bare[..start]);
        kept.push_str(&match inner.find("://") {
            _ if secret_follows && !inner.is_empty() => HIDDEN.to_owned(),
            Some(scheme) => hidden_in_address(inner, scheme + 3),
            None if logins => hidden_in_login(inner),
            None => inner.to_owned(),
        });
        kept.push_str(&word[end..]);
        secret_follows = if bare.is_empty() { secret_follows } else { is_secret_option(inner) };
    }
    kept
}

/// Where the text inside quotes begins and ends.
fn quotes_around(word: &str) -> (usize, usize) {
    let quote = ['\'', '"'];
    let start = word.len() - word.trim_start_matches(quote).len();
    (start, start + word[start..].trim_end_matches(quote).len())
}

fn is_secret_option(word: &str) -> bool {
    let option = word.strip_prefix("--").unwrap_or_default().to_ascii_lowercase();
    KEYS.contains(&option.as_str())
}

/// What follows `://` begins at `start`. A password may hold any character, so it reaches to the
/// last `@` that can belong to it.
fn hidden_in_address(word: &str, start: usize) -> String {
    let (head, rest) = word.split_at(start);
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
    let plain = authority.contains('@') || port.bytes().all(|byte| byte.is_ascii_digit());
    let reach = if plain { rest.find('?').unwrap_or(rest.len()) } else { rest.len() };
    let slash_divides = head.contains("oracle");
    let is_divider = |c: char| c == ':' || (slash_divides && c == '/');
    let at = rest[..reach].rfind('@');
    let ends = at.and_then(|at| Some((rest[..at].find(is_divider)?, at)));
    format!("{head}{}", hidden_between(rest, ends))
}

/// `user/password@service`.
fn hidden_in_login(word: &str) -> String {
    let ends = word.rfind('@').and_then(|at| Some((word[..at].find('/')?, at)));
    hidden_between(word, ends.filter(|&(slash, _)| slash > 0))
}

/// Hides what lies between a divider and an `@`.
fn hidden_between(text: &str, ends: Option<(usize, usize)>) -> String {
    match ends {
        Some((divider, at)) if divider + 1 < at => {
            format!("{}{HIDDEN}{}", &text[..=divider], &text[at..])
        }
        _ => text.to_owned(),
    }
}

fn hidden_after_keys(mut text: String) -> String {
    for key in KEYS {
        let key = format!("{key}=");
        let mut from = 0;
        while let Some(found) = text[from..].to_ascii_lowercase().find(&key) {
            let (value, end) = value_at(&text, from + found + key.len());
            if end > value {
                text.replace_range(value..end, HIDDEN);
            }
            from = if end > value { value + HIDDEN.len() } else { value };
        }
    }
    text
}

/// Where the value that begins at `start`, perhaps with a quote, begins and ends.
fn value_at(text: &str, start: usize) -> (usize, usize) {
    let quote = text[start..].chars().next().filter(|c| ['\'', '"'].contains(c));
    let value = start + quote.map_or(0, char::len_utf8);
    let ends = |c: char| match quote {
        Some(quote) => c == quote,
        None => c.is_whitespace() || ['&', ';', '\'', '"'].contains(&c),
    };
    (value, text[value..].find(ends).map_or(text.len(), |end| value + end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> String {
        let once = without_secrets(text);
        assert_eq!(without_secrets(&once), once, "what was hidden stays as it is");
        once
    }

    #[test]
    fn addresses_keep_everything_but_their_passwords() {
        let address = "oracle://scott:ti:g@er@db:1521/x?event=log&password=a%20b&y=1";
        assert_eq!(kept(address), "oracle://scott:***@db:1521/x?event=log&password=***&y=1");
        assert_eq!(kept("oracle://scott/tiger@db/x"), "oracle://scott/***@db/x");
        assert_eq!(kept("redis://:s3cret@db:6379/0"), "redis://:***@db:6379/0");
        assert_eq!(kept("redis://u:p/w@db:6379/0"), "redis://u:***@db:6379/0");
        assert_eq!(kept("redis://u:p?w@db:6379/0"), "redis://u:***@db:6379/0");
        assert_eq!(kept("redis://u:12/34@db/0"), "redis://u:***@db/0");
    }

    #[test]
    fn addresses_without_passwords_stay_as_they_are() {
        for text in [
            "probe:/data",
            "prom+http://host:9090/metrics?match=a@b",
            "postgres://user@host/db",
            "bpftrace:/usr/share/tools/read@v2.bt",
            "disk:vda",
            "data/run@2.txt",
            "-",
        ] {
            assert_eq!(kept(text), text);
        }
    }

    #[test]
    fn command_lines_keep_everything_but_their_passwords() {
        assert_eq!(kept("cmd:psql PWD=x; date"), "cmd:psql PWD=***; date");
        assert_eq!(kept("cmd:'sqlplus -S scott/tiger@orcl'"), "cmd:'sqlplus -S scott/***@orcl'");
        assert_eq!(kept("PGPASSWORD='a b' psql"), "PGPASSWORD='***' psql");
        assert_eq!(
            kept("isotherm live x --password hunter2 -o y"),
            "isotherm live x --password *** -o y"
        );
        assert_eq!(
            kept("--Password=q redis://a:b@c pg://d:e@f"),
            "--Password=*** redis://a:***@c pg://d:***@f"
        );
    }

    #[test]
    fn any_text_is_taken() {
        for text in ["", "@", "://", "://@", "a://:@", "password=", "/@", "é://ü:ñ@ß", "--token"]
        {
            let _ = kept(text);
        }
    }
}
