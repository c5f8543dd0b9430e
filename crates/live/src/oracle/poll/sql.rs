//! The one statement of a poll.
//!
//! It gives text in the format of the source `oraclepoll`, everything but the line `T`, which the
//! client writes because it holds the clock (a script that runs alone has it written by the
//! server). A column that is sorted by and not selected puts the parts in order; the last row is
//! the end mark, so that an answer cut short is not taken for a whole one.

use isotherm_frame::Unit;

use crate::oracle::pattern::Pattern;

/// What a poll asks for, and how the server can be asked.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about a server")]
pub(crate) struct Query {
    /// Microseconds (12.1.0.2 and later) or milliseconds.
    pub(crate) unit: Unit,
    /// Whether to ask all instances of a cluster, through the `GV$` views.
    pub(crate) global: bool,
    /// Whether to ask for counters per container (12.2 and later).
    pub(crate) per_pdb: bool,
    /// Whether to ask for exact totals, too.
    pub(crate) exact: bool,
    /// Which events; those that are not idle if there are none.
    pub(crate) events: Vec<Pattern>,
    /// Whether idle events can be known, by `V$EVENT_NAME`; all events are asked for if not.
    pub(crate) idle_known: bool,
    /// Which instances; all if there are none.
    pub(crate) instances: Vec<u32>,
    /// Whether all buckets of an event come in one row (`LISTAGG`: 11.2 and later), or each in
    /// its own.
    pub(crate) aggregated: bool,
    /// Whether the server writes the line `T`.
    pub(crate) stamped: bool,
}

impl Query {
    /// The statement, without an end mark, in lines of fewer than 500 characters.
    pub(crate) fn select(&self) -> String {
        let mut parts = Vec::new();
        if self.stamped {
            parts.push(STAMP.to_owned());
        }
        parts.extend([self.instances_part(), self.buckets_part()]);
        if self.exact {
            parts.push(self.totals_part());
        }
        parts.push("SELECT 9 AS part, '.' AS line FROM dual".to_owned());
        let parts = parts.join("\nUNION ALL\n");
        format!("SELECT line FROM (\n{parts}\n) q ORDER BY part")
    }

    fn instances_part(&self) -> String {
        let (number, view) = if self.global {
            ("inst_id", "gv$instance")
        } else {
            ("instance_number", "v$instance")
        };
        format!(
            "SELECT 1 AS part, 'I|'||{number}||'|'||\
             TO_CHAR(startup_time, 'YYYY-MM-DD\"T\"HH24:MI:SS')||'|'||version||'|'||instance_name \
             AS line\nFROM {view}{}",
            self.instances_condition("\nWHERE", number)
        )
    }

    fn buckets_part(&self) -> String {
        let (bound, unit) = match self.unit {
            Unit::Millis => ("wait_time_milli", "ms"),
            _ => ("wait_time_micro", "us"),
        };
        let rows = self.rows(
            self.histogram_view(),
            Some(bound),
            &format!("h.{bound} AS bound, SUM(h.wait_count) AS waits"),
        );
        let (buckets, group) = if self.aggregated {
            let keys = if self.per_pdb { "inst_id, con_id, event" } else { "inst_id, event" };
            let list = "LISTAGG(bound||':'||waits, ',') WITHIN GROUP (ORDER BY bound)";
            (list, format!("\nGROUP BY {keys}"))
        } else {
            ("bound||':'||waits", String::new())
        };
        format!(
            "SELECT 2 AS part, 'H|'||inst_id||'|'||{}||'|{unit}|'||{buckets}||'|'||event AS line\n\
             FROM {rows}{group}",
            self.container()
        )
    }

    fn totals_part(&self) -> String {
        let sums = "SUM(h.total_waits) AS waits, SUM(h.time_waited_micro) AS micros";
        format!(
            "SELECT 3 AS part, 'S|'||inst_id||'|'||{}||'|'||waits||'|'||micros||'|'||event \
             AS line\nFROM {}",
            self.container(),
            self.rows(self.totals_view(), None, sums)
        )
    }

    /// What a line says of the container.
    fn container(&self) -> &'static str {
        if self.per_pdb { "con_id" } else { "''" }
    }

    /// The rows of a view with the instance's number, summed over what is not asked for.
    fn rows(&self, view: &str, key: Option<&str>, sums: &str) -> String {
        let (instance, from) = if self.global {
            ("h.inst_id", format!("g{view} h"))
        } else {
            ("i.instance_number", format!("v$instance i CROSS JOIN {view} h"))
        };
        let container = if self.per_pdb { ", h.con_id" } else { "" };
        let key = key.map(|key| format!(", h.{key}")).unwrap_or_default();
        format!(
            "(SELECT {instance} AS inst_id{container}, h.event, {sums}\nFROM {from}\nWHERE {}{}\n\
             GROUP BY {instance}{container}, h.event{key}) r",
            self.events_condition(),
            self.instances_condition(" AND", instance),
        )
    }

    fn events_condition(&self) -> String {
        if self.events.is_empty() {
            return if self.idle_known {
                "h.event NOT IN (SELECT name FROM v$event_name WHERE wait_class = 'Idle')".into()
            } else {
                "h.event IS NOT NULL".into()
            };
        }
        let conditions: Vec<String> =
            self.events.iter().map(|event| event.condition("h.event")).collect();
        format!("({})", conditions.join("\nOR "))
    }

    fn instances_condition(&self, word: &str, column: &str) -> String {
        match self.instances.as_slice() {
            [] => return String::new(),
            [one] => return format!("{word} {column} = {one}"),
            _ => {}
        }
        let numbers: Vec<String> = self.instances.iter().map(u32::to_string).collect();
        format!("{word} {column} IN ({})", numbers.join(", "))
    }

    /// The view of buckets, without the `g` of all instances.
    pub(crate) fn histogram_view(&self) -> &'static str {
        match (self.per_pdb, self.unit) {
            (true, _) => "v$con_event_histogram_micro",
            (false, Unit::Millis) => "v$event_histogram",
            (false, _) => "v$event_histogram_micro",
        }
    }

    /// The view of exact totals, without the `g` of all instances.
    pub(crate) fn totals_view(&self) -> &'static str {
        if self.per_pdb { "v$con_system_event" } else { "v$system_event" }
    }
}

/// The moment, by the server's clock.
const STAMP: &str = "SELECT 0 AS part, 'T|'||TO_CHAR(CURRENT_TIMESTAMP, \
     'YYYY-MM-DD\"T\"HH24:MI:SS.FF6TZH:TZM') AS line FROM dual";

#[cfg(test)]
mod tests {
    use super::*;

    fn query() -> Query {
        Query {
            unit: Unit::Micros,
            global: false,
            per_pdb: false,
            exact: true,
            events: Vec::new(),
            idle_known: true,
            instances: Vec::new(),
            aggregated: true,
            stamped: false,
        }
    }

    fn patterns(names: &[&str]) -> Vec<Pattern> {
        names.iter().map(|name| Pattern::new(name).expect("a pattern")).collect()
    }

    #[test]
    fn one_statement_asks_a_single_instance_for_everything_that_is_not_idle() {
        let expected = r#"SELECT line FROM (
SELECT 1 AS part, 'I|'||instance_number||'|'||TO_CHAR(startup_time, 'YYYY-MM-DD"T"HH24:MI:SS')||'|'||version||'|'||instance_name AS line
FROM v$instance
UNION ALL
SELECT 2 AS part, 'H|'||inst_id||'|'||''||'|us|'||LISTAGG(bound||':'||waits, ',') WITHIN GROUP (ORDER BY bound)||'|'||event AS line
FROM (SELECT i.instance_number AS inst_id, h.event, h.wait_time_micro AS bound, SUM(h.wait_count) AS waits
FROM v$instance i CROSS JOIN v$event_histogram_micro h
WHERE h.event NOT IN (SELECT name FROM v$event_name WHERE wait_class = 'Idle')
GROUP BY i.instance_number, h.event, h.wait_time_micro) r
GROUP BY inst_id, event
UNION ALL
SELECT 3 AS part, 'S|'||inst_id||'|'||''||'|'||waits||'|'||micros||'|'||event AS line
FROM (SELECT i.instance_number AS inst_id, h.event, SUM(h.total_waits) AS waits, SUM(h.time_waited_micro) AS micros
FROM v$instance i CROSS JOIN v$system_event h
WHERE h.event NOT IN (SELECT name FROM v$event_name WHERE wait_class = 'Idle')
GROUP BY i.instance_number, h.event) r
UNION ALL
SELECT 9 AS part, '.' AS line FROM dual
) q ORDER BY part"#;
        assert_eq!(query().select(), expected);
    }

    #[test]
    fn a_cluster_is_asked_through_its_global_views() {
        let events = patterns(&["log file sync", "db file*"]);
        let sql = Query { global: true, instances: vec![1, 3], events, ..query() }.select();
        for part in [
            "'I|'||inst_id||'|'",
            "FROM gv$instance\nWHERE inst_id IN (1, 3)\n",
            "FROM (SELECT h.inst_id AS inst_id, h.event, h.wait_time_micro AS bound",
            "FROM gv$event_histogram_micro h\nWHERE (LOWER(h.event) = 'log file sync'\n\
             OR LOWER(h.event) LIKE 'db file%' ESCAPE '\\') AND h.inst_id IN (1, 3)\n\
             GROUP BY h.inst_id, h.event, h.wait_time_micro",
            "FROM gv$system_event h\n",
        ] {
            assert!(sql.contains(part), "{part}\n{sql}");
        }
        assert!(!sql.contains(" v$") && !sql.contains("Idle"), "{sql}");
    }

    #[test]
    fn older_releases_have_milliseconds_and_rows_of_their_own() {
        let sql = Query { unit: Unit::Millis, aggregated: false, exact: false, ..query() }.select();
        assert!(sql.contains("'H|'||inst_id||'|'||''||'|ms|'||bound||':'||waits||'|'||event"));
        assert!(sql.contains("h.wait_time_milli AS bound"), "{sql}");
        assert!(sql.contains("CROSS JOIN v$event_histogram h\n"), "{sql}");
        assert!(!sql.contains("LISTAGG") && !sql.contains("system_event"), "{sql}");
    }

    #[test]
    fn containers_are_distinguished_where_asked_for() {
        let sql = Query { per_pdb: true, ..query() }.select();
        for part in [
            "'H|'||inst_id||'|'||con_id||'|us|'",
            "v$con_event_histogram_micro h",
            "v$con_system_event h",
            "GROUP BY i.instance_number, h.con_id, h.event, h.wait_time_micro",
            "GROUP BY inst_id, con_id, event",
        ] {
            assert!(sql.contains(part), "{part}\n{sql}");
        }
    }

    #[test]
    fn the_moment_comes_first_where_the_server_writes_it() {
        let sql = Query { stamped: true, idle_known: false, ..query() }.select();
        assert!(sql.starts_with("SELECT line FROM (\nSELECT 0 AS part, 'T|'||TO_CHAR(CURRENT_TIM"));
        assert!(sql.contains("WHERE h.event IS NOT NULL\n"), "{sql}");
    }

    #[test]
    fn lines_stay_short_enough_for_any_client() {
        let events = patterns(&["x".repeat(100).as_str(); 50]);
        let sql = Query { global: true, per_pdb: true, events, stamped: true, ..query() }.select();
        let longest = sql.lines().map(str::len).max().unwrap_or_default();
        assert!(longest < 500, "{longest}");
    }
}
