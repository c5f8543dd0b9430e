//! What a statement asks the simulated workload for, read off its text without knowing SQL.

/// The views there are, without the `g` of all instances.
const VIEWS: [&str; 10] = [
    "v$instance",
    "v$event_histogram",
    "v$event_histogram_micro",
    "v$con_event_histogram_micro",
    "v$system_event",
    "v$con_system_event",
    "v$event_name",
    "v$session",
    "v$session_wait_history",
    "x$kslwh",
];

/// A statement in lower case, its blanks and line ends single blanks.
pub(crate) struct Asked {
    text: String,
    events: Vec<Like>,
    instances: Vec<u64>,
    sids: Vec<u64>,
}

/// A condition on a name: the texts between the `%` of a LIKE.
struct Like(Vec<String>);

impl Asked {
    pub(crate) fn read(sql: &str) -> Asked {
        let words: Vec<&str> = sql.split_whitespace().collect();
        let text = words.join(" ").to_ascii_lowercase();
        let events = conditions(&text);
        let mut instances = numbers(&text, "inst_id");
        instances.extend(numbers(&text, "instance_number"));
        let sids = numbers(&text, "sid");
        Asked { text, events, instances, sids }
    }

    /// Whether a text, in lower case, occurs.
    pub(crate) fn mentions(&self, text: &str) -> bool {
        self.text.contains(text)
    }

    /// Whether every view named exists. One with microseconds is missing before 12.1.0.2.
    pub(crate) fn views_exist(&self, micro: bool) -> bool {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_$#".contains(letter);
        self.text.split(|letter| !is_name(letter)).all(|word| {
            let view = word.strip_prefix('g').filter(|rest| rest.starts_with("v$")).unwrap_or(word);
            let is_view = view.starts_with("v$") || view.starts_with("x$");
            let known = VIEWS.contains(&view) && (micro || !view.ends_with("_micro"));
            !word.starts_with("dba_") && (!is_view || known)
        })
    }

    /// Whether an event is asked for; all are if there is no condition.
    pub(crate) fn wants_event(&self, name: &str, idle: bool) -> bool {
        if self.events.is_empty() {
            return !(idle && self.mentions("not in (select name from v$event_name"));
        }
        let name = name.to_ascii_lowercase();
        self.events.iter().any(|event| event.matches(&name))
    }

    /// Whether an instance is asked for.
    pub(crate) fn wants_instance(&self, number: u32) -> bool {
        self.instances.is_empty() || self.instances.contains(&u64::from(number))
    }

    /// Whether a session is asked for.
    pub(crate) fn wants_session(&self, sid: u64) -> bool {
        self.sids.is_empty() || self.sids.contains(&sid)
    }
}

/// Conditions such as `lower(event) = 'log file sync'` and `lower(h.event) like 'db%'`.
fn conditions(text: &str) -> Vec<Like> {
    let mut found = Vec::new();
    for part in text.split("lower(").skip(1) {
        let Some((column, rest)) = part.split_once(") ") else { continue };
        if !column.ends_with("event") {
            continue;
        }
        let parts = |rest: &str, like| Like(parts(rest, like));
        found.extend(rest.strip_prefix("= '").map(|rest| parts(rest, false)));
        found.extend(rest.strip_prefix("like '").map(|rest| parts(rest, true)));
    }
    found
}

/// The text up to the closing quote, divided at `%` if it is that of a LIKE, with `\` before
/// what is meant literally.
fn parts(quoted: &str, like: bool) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = quoted.chars().peekable();
    while let Some(letter) = letters.next() {
        let literal = match letter {
            '\'' if letters.next_if_eq(&'\'').is_none() => break,
            '%' if like => {
                parts.push(String::new());
                continue;
            }
            '\\' if like => letters.next().unwrap_or('\\'),
            other => other,
        };
        if let Some(last) = parts.last_mut() {
            last.push(literal);
        }
    }
    parts
}

impl Like {
    fn matches(&self, name: &str) -> bool {
        let [first, middle @ .., last] = self.0.as_slice() else {
            return self.0.first().is_some_and(|whole| whole == name);
        };
        let Some(mut rest) = name.strip_prefix(first.as_str()) else { return false };
        for part in middle {
            let Some((_, after)) = rest.split_once(part.as_str()) else { return false };
            rest = after;
        }
        rest.ends_with(last.as_str())
    }
}

/// The numbers a column is compared with: `sid = 7`, `sid in (7, 8)`.
fn numbers(text: &str, column: &str) -> Vec<u64> {
    let mut found = Vec::new();
    for rest in text.split(column).skip(1) {
        let listed = rest.strip_prefix(" in (").and_then(|rest| rest.split(')').next());
        let single = rest.strip_prefix(" = ").and_then(|rest| rest.split(' ').next());
        for number in listed.or(single).unwrap_or_default().split(',') {
            found.extend(number.trim().parse::<u64>());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_on_events_are_understood() {
        let asked = Asked::read(
            "select x from v$system_event h WHERE (LOWER(h.event) = 'log file sync'\n\
             OR LOWER(h.event) LIKE 'db%read' ESCAPE '\\' OR lower(h.event) like 'a\\_b%')",
        );
        for (name, wanted) in [
            ("log file sync", true),
            ("db file sequential read", true),
            ("db file parallel write", false),
            ("a_bc", true),
            ("axbc", false),
        ] {
            assert_eq!(asked.wants_event(name, false), wanted, "{name}");
        }
    }

    #[test]
    fn idle_events_are_left_out_only_where_they_are_excluded() {
        let all = Asked::read("select x from v$system_event");
        assert!(all.wants_event("SQL*Net message from client", true));
        let some = Asked::read(
            "select x from v$system_event where event NOT IN \
             (SELECT name FROM v$event_name WHERE wait_class = 'Idle')",
        );
        assert!(!some.wants_event("SQL*Net message from client", true));
        assert!(some.wants_event("log file sync", false));
    }

    #[test]
    fn instances_and_sessions_are_picked() {
        let asked = Asked::read("x where h.inst_id IN (1, 3) and sid IN (70)");
        assert!(asked.wants_instance(3) && !asked.wants_instance(2));
        assert!(asked.wants_session(70) && !asked.wants_session(71));
        let one = Asked::read("select i.instance_number as inst_id from x WHERE inst_id = 2");
        assert!(one.wants_instance(2) && !one.wants_instance(1));
        let all = Asked::read("select inst_id from x");
        assert!(all.wants_instance(1) && all.wants_session(1));
    }

    #[test]
    fn views_that_do_not_exist_are_noticed() {
        for (sql, micro, exist) in [
            ("select 1 from gv$event_histogram_micro", true, true),
            ("select 1 from gv$event_histogram_micro", false, false),
            ("select 1 from v$event_histogram", false, true),
            ("select 1 from v$nothing", true, false),
            ("select 1 from dba_hist_event_histogram", true, false),
            ("select 1 from dual", true, true),
        ] {
            assert_eq!(Asked::read(sql).views_exist(micro), exist, "{sql}");
        }
    }
}
