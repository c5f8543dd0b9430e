//! Addresses, command lines and messages without passwords.

use std::ops::Range;

/// What stands where a secret was.
const HIDDEN: &str = "***";

/// Words that a secret follows, after `=` or, as an option, after a space.
const KEYS: [&str; 11] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "token",
    "secret",
    "rediscli_auth",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
];

/// Programs whose logins are written `user/password@service`.
const ORACLE_TOOLS: [&str; 5] = ["sqlplus", "sqlcl", "rman", "expdp", "impdp"];

/// Programs with an option of one letter that a password follows, at once or after a space.
const LETTERS: [(&str, &str); 4] =
    [("mysql", "-p"), ("mariadb", "-p"), ("redis-cli", "-a"), ("mongo", "-p")];

/// Schemes of servers, for addresses in which the slashes are missing.
const SERVERS: [&str; 13] = [
    "postgres",
    "postgresql",
    "pg",
    "psql",
    "redis",
    "rediss",
    "oracle",
    "oracle+tcps",
    "sqlplus",
    "awr",
    "mysql",
    "mariadb",
    "mongodb",
];

/// Schemes of addresses of HTTP, and the parameters there that are no secrets: those of queries and of
/// what exporters are asked.
const WEB: [&str; 4] = ["http", "prom+http", "https", "prom+https"];
const PLAIN_PARAMETERS: [&str; 17] = [
    "query",
    "range",
    "match",
    "match[]",
    "metric",
    "window",
    "interval",
    "step",
    "since",
    "time",
    "start",
    "end",
    "module",
    "target",
    "format",
    "collect[]",
    "name[]",
];

/// Schemes of what has no password.
const LOCAL: [&str; 12] = [
    "probe", "disk", "runq", "syscall", "fs", "tcp", "pgprobe", "bpftrace", "cmd", "file", "sim",
    "stdin",
];

/// Words that stand for a password in examples and help.
const PLACEHOLDERS: [&str; 3] = ["password", "port", "..."];

/// A text with `***` for every password in it: of addresses (`user:password@` after `://`, or
/// after a scheme whose slashes were forgotten, or without one), of `user/password@service` where
/// that is how Oracle's tools log on, the values of `password=` and its kin (also `PGPASSWORD=`),
/// and the word after `--password`.
///
/// Where it is not certain what belongs to a password, it is hidden. What has been hidden stays
/// as it is, and so do the words that stand for a password in help.
pub fn without_secrets(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for span in spans(text) {
        kept.push_str(&text[from..span.start]);
        kept.push_str(HIDDEN);
        from = span.end;
    }
    kept.push_str(&text[from..]);
    kept
}

/// What [`without_secrets`] would hide of an argument, and what is a password if the argument is
/// Oracle's `user/password@service`.
pub fn secrets_in(argument: &str) -> Vec<&str> {
    let login = login(argument).filter(|_| !argument.contains("://"));
    spans(argument).into_iter().chain(login).map(|span| &argument[span]).collect()
}

/// Where secrets stand, in order and apart from each other.
fn spans(text: &str) -> Vec<Range<usize>> {
    let mut found = after_keys(text);
    found.extend(in_words(text));
    found.retain(|span| !span.is_empty() && !is_placeholder(&text[span.clone()]));
    found.sort_unstable_by_key(|span| span.start);
    let mut apart: Vec<Range<usize>> = Vec::new();
    for span in found {
        match apart.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => apart.push(span),
        }
    }
    apart
}

fn is_placeholder(secret: &str) -> bool {
    let bare = secret.trim_matches(|c: char| "[]<>{}()'\"`,;".contains(c)).to_ascii_lowercase();
    secret.contains(HIDDEN) || PLACEHOLDERS.contains(&bare.as_str())
}

/// Secrets that are recognised by the form of a word, or by the word before it.
fn in_words(text: &str) -> Vec<Range<usize>> {
    let is_login = ORACLE_TOOLS.iter().any(|tool| text.contains(tool));
    let mut found = Vec::new();
    let (mut at, mut secret_follows) = (0, false);
    for word in text.split_inclusive(char::is_whitespace) {
        let inner = without_quotes(word.trim_end(), at);
        let (start, bare) = (inner.start, &text[inner.clone()]);
        let moved = |span: Range<usize>| start + span.start..start + span.end;
        at += word.len();
        if bare.is_empty() {
            continue;
        }
        if secret_follows {
            found.push(inner);
        } else if let Some(scheme) = bare.find("://") {
            found.extend(in_address(text, start, start + scheme + 3, inner.end));
            found.extend(in_foreign_address(bare, scheme).into_iter().map(moved));
        } else {
            let strict = login(bare).filter(|span| is_login || is_easy_connect(&bare[span.end..]));
            found.extend(unslashed(bare).or(strict).map(moved));
        }
        found.extend(after_letter(text, bare).map(moved));
        secret_follows = is_secret_option(text, bare);
    }
    found
}

/// Where a word that begins at `at` stands without the quotes around it.
fn without_quotes(word: &str, at: usize) -> Range<usize> {
    let quote = ['\'', '"'];
    let start = word.len() - word.trim_start_matches(quote).len();
    at + start..at + start + word[start..].trim_end_matches(quote).len()
}

fn is_secret_option(text: &str, word: &str) -> bool {
    let option = word.strip_prefix("--").unwrap_or_default().to_ascii_lowercase();
    KEYS.contains(&option.as_str())
        || option == "pass"
        || LETTERS.iter().any(|(tool, letter)| *letter == word && text.contains(tool))
}

/// `-pSECRET` of a program that takes passwords so.
fn after_letter(text: &str, word: &str) -> Option<Range<usize>> {
    let takes = |(tool, letter): &&(&str, &str)| {
        text.contains(*tool) && word.len() > letter.len() && word.starts_with(*letter)
    };
    LETTERS.iter().find(takes).map(|(_, letter)| letter.len()..word.len())
}

/// The password of an address: the word begins at `word`, what follows `://` at `start`, and the
/// word ends at `end`. A password may hold any character, blanks too, so it reaches to the last
/// `@` that can belong to it.
fn in_address(text: &str, word: usize, start: usize, end: usize) -> Option<Range<usize>> {
    let head = &text[word..start];
    let rest = &text[start..end];
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    let slash_divides = head.contains("oracle") || head.contains("sqlplus");
    let is_divider = |c: char| c == ':' || (slash_divides && c == '/');
    let Some(reach) = reach(rest, authority) else {
        return broken_off(text, start, authority, end);
    };
    let at = rest[..reach].rfind('@')?;
    let divider = rest[..at].find(is_divider)?;
    Some(start + divider + 1..start + at)
}

/// What may be a secret in an address of a kind that has none at a place of its own: who it is that asks, and
/// the values of all parameters but those that are known. `scheme` is where `://` stands.
fn in_foreign_address(word: &str, scheme: usize) -> Vec<Range<usize>> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
    let name = word[..scheme].rsplit(|c| !is_letter(c)).next().unwrap_or_default();
    let name = name.to_ascii_lowercase();
    if name.is_empty() || SERVERS.contains(&name.as_str()) || LOCAL.contains(&name.as_str()) {
        return Vec::new();
    }
    let rest = scheme + 3;
    let end = rest + word[rest..].trim_end_matches([',', '.', ';', ':', ')', '\'', '"']).len();
    let authority = word[rest..end].find(['/', '?', '#']).map_or(end, |length| rest + length);
    let mut found = Vec::new();
    // Where there is a colon, the password after it is found as that of any address.
    if let Some(user) = word[rest..authority].rfind('@').map(|length| rest..rest + length)
        && !word[user.clone()].contains(':')
    {
        found.push(user);
    }
    let Some(query) = word[authority..end].find(['?', '#']).map(|at| authority + at + 1) else {
        return found;
    };
    let is_web = WEB.contains(&name.as_str());
    let mut at = query;
    for parameter in word[query..end].split(['&', '#', ';']) {
        let (key, value) = match parameter.split_once('=') {
            Some((key, _)) => (key, at + key.len() + 1),
            None => ("", at),
        };
        if !(is_web && PLAIN_PARAMETERS.contains(&key)) {
            found.push(value..at + parameter.len());
        }
        at += parameter.len() + 1;
    }
    found
}

/// How far into what follows `://` the last `@` of a logon may be; none if there is none.
fn reach(rest: &str, authority: &str) -> Option<usize> {
    let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
    let plain = authority.contains('@') || port.bytes().all(|byte| byte.is_ascii_digit());
    let query = rest.find('?').unwrap_or(rest.len());
    // `user:12?34@host` has no path before the question mark; a question about a path has.
    let of_password = authority.contains(':') && !rest[..query].contains(['/', '@']);
    let reach = if plain && !of_password { query } else { rest.len() };
    rest[..reach].contains('@').then_some(reach)
}

/// An address whose word has no `@`: what stands where a port does and is none may be the first
/// word of a password.
fn broken_off(text: &str, start: usize, authority: &str, end: usize) -> Option<Range<usize>> {
    let colon = authority.find(':').filter(|_| !authority.starts_with('['))?;
    let port = authority[colon + 1..].trim_end_matches([',', '.', ';', ':', ')', '\'', '"']);
    if port.bytes().all(|byte| byte.is_ascii_digit()) || is_placeholder(port) {
        return None;
    }
    let secret = start + colon + 1;
    let more = &text[end..];
    let more = &more[..more.find("://").unwrap_or(more.len())];
    let until = more.find('@').map_or(secret + port.len(), |at| end + at);
    Some(secret..until)
}

/// `postgres:user:password@host`, `sqlplus:user/password`, `user:password@host`.
fn unslashed(word: &str) -> Option<Range<usize>> {
    if word.starts_with(['/', '.', '(']) {
        return None;
    }
    let (scheme, rest) = word.split_once(':')?;
    if LOCAL.contains(&scheme) {
        return None;
    }
    if !SERVERS.contains(&scheme) {
        let at = word.rfind('@').filter(|at| *at > scheme.len())?;
        let plain = |c: char| c.is_alphanumeric() || "_$#.-\"".contains(c);
        return (!scheme.is_empty() && scheme.chars().all(plain)).then(|| scheme.len() + 1..at);
    }
    if scheme == "awr" {
        let inner = unslashed(rest)?;
        return Some(4 + inner.start..4 + inner.end);
    }
    let logon = rest.trim_start_matches('/');
    let begin = word.len() - logon.len();
    let divider = logon.find([':', '/'])?;
    let end = match logon.rfind('@') {
        Some(at) => at,
        None if rest.len() == logon.len() && ["sqlplus", "oracle"].contains(&scheme) => logon.len(),
        None => return None,
    };
    (divider < end && divider > 0).then(|| begin + divider + 1..begin + end)
}

/// The password of `user/password@service`.
fn login(word: &str) -> Option<Range<usize>> {
    let at = word.rfind('@')?;
    let slash = word[..at].find('/').filter(|slash| *slash > 0)?;
    Some(slash + 1..at)
}

/// Whether what follows a password is a database as nothing but Oracle's tools write it.
fn is_easy_connect(rest: &str) -> bool {
    let place = rest.trim_start_matches('@');
    let port = place.split_once(':').map_or("", |(_, port)| port);
    place.starts_with("//") || port.starts_with(|c: char| c.is_ascii_digit())
}

/// The values of `password=`, `password = '...'`, `"password": "..."`.
fn after_keys(text: &str) -> Vec<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for key in KEYS {
        for (at, _) in lower.match_indices(key) {
            found.extend(value_start(text, at + key.len()).map(|start| value_at(text, start)));
        }
    }
    found
}

/// Where the value begins, if the key that ends at `end` has one.
fn value_start(text: &str, end: usize) -> Option<usize> {
    let after = &text[end..];
    let unquoted = after.trim_start_matches(['"', '\'']);
    let is_quoted = unquoted.len() < after.len();
    let bare = unquoted.trim_start();
    let value = bare.strip_prefix('=').or_else(|| bare.strip_prefix(':').filter(|_| is_quoted))?;
    let value = if bare.len() < unquoted.len() || is_quoted { value.trim_start() } else { value };
    Some(text.len() - value.len())
}

/// Where the value that begins at `start`, perhaps with a quote, begins and ends.
fn value_at(text: &str, start: usize) -> Range<usize> {
    let quote = text[start..].chars().next().filter(|c| ['\'', '"'].contains(c));
    let value = start + quote.map_or(0, char::len_utf8);
    let rest = &text[value..];
    let mut escaped = false;
    let end = rest.char_indices().find(|&(at, c)| {
        let after = &rest[at + c.len_utf8()..];
        let ends = !escaped && quote.map_or_else(|| ends_value(c, after), |quote| c == quote);
        escaped = c == '\\' && !escaped;
        ends
    });
    value..end.map_or(text.len(), |(at, _)| value + at)
}

/// Whether a character ends a value without quotes. Most may also be part of a password, so what
/// follows decides.
fn ends_value(c: char, after: &str) -> bool {
    let next = after.chars().next();
    match c {
        '&' => {
            let name = after.split('=').next().unwrap_or_default();
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            name.len() < after.len() && !name.is_empty() && name.chars().all(is_name)
        }
        // In a message, what is wrong follows.
        ';' | ':' => next.is_none_or(char::is_whitespace),
        '\'' | '"' => next.is_none_or(|c| c.is_whitespace() || ",.:;)]}".contains(c)),
        c => c.is_whitespace(),
    }
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
    fn addresses_that_are_not_quite_right_keep_their_passwords_too() {
        for (text, hidden) in [
            ("postgres://u:s3 cret@h/db", "postgres://u:***@h/db"),
            ("'postgres://u:s3cret' cannot be", "'postgres://u:***' cannot be"),
            ("redis://u:12?s3cret@h", "redis://u:***@h"),
            ("postgres:u:s3cret@h/db", "postgres:u:***@h/db"),
            ("redis:/u:s3cret@h", "redis:/u:***@h"),
            ("oracle:scott/s3cret@h/s", "oracle:scott/***@h/s"),
            ("sqlplus:scott/s3cret", "sqlplus:scott/***"),
            ("awr:sqlplus:scott/s3cret@x", "awr:sqlplus:scott/***@x"),
            ("scott:s3cret@db1/x", "scott:***@db1/x"),
            ("scott/s3cret@//db1:1521/x", "scott/***@//db1:1521/x"),
            ("scott/s3cret@db1:1521/x", "scott/***@db1:1521/x"),
            ("host=h user=u password=s3cret dbname=x", "host=h user=u password=*** dbname=x"),
            ("password = 's3 cr\\'et' x", "password = '***' x"),
            ("password=a;s3&cret x", "password=*** x"),
            ("h?password=s3cret&sslmode=x", "h?password=***&sslmode=x"),
            ("{\"password\": \"s3cret\"}", "{\"password\": \"***\"}"),
            ("(SECURITY=(WALLET_PASSWORD=s3cret))", "(SECURITY=(WALLET_PASSWORD=***"),
            ("cmd:mysql -ps3cret x", "cmd:mysql -p*** x"),
            ("cmd:redis-cli -a s3cret x", "cmd:redis-cli -a *** x"),
            ("cmd:REDISCLI_AUTH=s3cret redis-cli", "cmd:REDISCLI_AUTH=*** redis-cli"),
        ] {
            assert_eq!(kept(text), hidden);
        }
    }

    #[test]
    fn addresses_of_any_kind_keep_what_may_be_a_secret() {
        for (text, hidden) in [
            ("https://h/?api_key=s3cret", "https://h/?api_key=***"),
            ("'https://h:8/a/b?x=1&sig=s3cret#s3cret'", "'https://h:8/a/b?x=***&sig=***#***'"),
            ("no file 'ftp://s3cret@h/f': x", "no file 'ftp://***@h/f': x"),
            ("https://u:s3cret@h/f?k=v.", "https://u:***@h/f?k=***."),
            ("--from=s3://bucket/run?s3cret", "--from=s3://bucket/run?***"),
            ("HTTPS://h/?KEY=s3cret, and more", "HTTPS://h/?KEY=***, and more"),
            ("http://h/metrics?collect[]=cpu&key=s3cret", "http://h/metrics?collect[]=cpu&key=***"),
            (
                "prom+http://h?query=a{b=\"c\"}&code=s3cret",
                "prom+http://h?query=a{b=\"c\"}&code=***",
            ),
            ("https://h/run.heat", "https://h/run.heat"),
            ("https://h/?api_key=s3cret: not found", "https://h/?api_key=***: not found"),
            ("postgres://u@h/d?hz=5&sslmode=require", "postgres://u@h/d?hz=5&sslmode=require"),
            ("https://", "https://"),
        ] {
            assert_eq!(kept(text), hidden);
        }
        assert_eq!(secrets_in("https://h/?api_key=s3cret&b=other"), ["s3cret", "other"]);
    }

    #[test]
    fn what_stands_for_a_password_in_help_can_be_read() {
        for text in [
            "redis://[user[:password]@]host[:port][/db]",
            "postgres://user:password@...",
            "oracle://USER@HOST:PORT/SERVICE",
            "'oracle://HOST:PORT' names no service",
            "redis://[::1]:7000/ or redis://localhost:6379, http://h:90.",
            "sqlplus:/@wallet_alias and sqlplus:/ as sysdba",
            "?password_file=FILE",
            "x.dat:12: not a number",
            "2026-11-22T10:00:00",
        ] {
            assert_eq!(kept(text), text);
        }
    }

    #[test]
    fn the_secrets_of_an_argument_are_known() {
        assert_eq!(secrets_in("postgres://u:s3 cret@h/db"), ["s3 cret"]);
        assert_eq!(secrets_in("scott/tiger@orcl"), ["tiger"]);
        assert_eq!(secrets_in("oracle://scott@db/x?password=tiger"), ["tiger"]);
        assert_eq!(secrets_in("run.heat"), [""; 0]);
    }

    #[test]
    fn any_text_is_taken() {
        for text in ["", "@", "://", "://@", "a://:@", "password=", "/@", "é://ü:ñ@ß", "--token"]
        {
            let _ = kept(text);
        }
    }
}
