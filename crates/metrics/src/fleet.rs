//! What Grafana and Prometheus need to show a classic histogram of many hosts.

use isotherm_frame::Unit;
use serde_json::json;

use crate::dashboard::{heat_map, lines, variable};

/// A classic histogram that many hosts have.
#[derive(Copy, Clone, Debug)]
pub struct FleetMetric<'a> {
    /// Its name, without `_bucket`.
    pub name: &'a str,
    /// What stands between the curly brackets of its selector.
    pub matchers: &'a str,
    /// The label whose values are the hosts.
    pub by: &'a str,
    /// The unit of its bounds and sums.
    pub unit: Unit,
}

impl FleetMetric<'_> {
    /// Grafana's name of the unit, and how many of the unit are a second. Hundredths of a second have none: they are
    /// shown as numbers.
    fn unit(self) -> (&'static str, &'static str) {
        match self.unit {
            Unit::Nanos => ("ns", " / 1e9"),
            Unit::Micros => ("µs", " / 1e6"),
            Unit::Millis => ("ms", " / 1e3"),
            Unit::Centis => ("short", " / 100"),
            Unit::Seconds => ("s", ""),
        }
    }
}

/// A dashboard of Grafana: how often each latency occurred on all hosts, percentiles, and the hosts whose
/// p99 is highest, that have most waiting, and that count most events.
pub fn fleet_dashboard(metric: FleetMetric<'_>) -> String {
    let FleetMetric { name, matchers, by, .. } = metric;
    let (unit, to_seconds) = metric.unit();
    let comma = if matchers.is_empty() { "" } else { "," };
    let selector = format!("{{{matchers}{comma}{by}=~\"$host\"}}");
    let each = |part: &str, function: &str| {
        format!("{function}({name}_{part}{selector}[$__rate_interval])")
    };
    let buckets = each("bucket", "rate");
    let top =
        |expression: String| vec![(format!("topk(10, {expression})"), format!("{{{{{by}}}}}"))];
    let of_host = |part: &str| format!("sum by ({by}) ({})", each(part, "rate"));
    let quantile = |(q, legend): (&str, &str)| {
        (format!("histogram_quantile({q}, sum by (le) ({buckets}))"), legend.to_owned())
    };
    let p99 = format!("histogram_quantile(0.99, sum by (le, {by}) ({buckets}))");
    let interpolated = "Interpolated within the buckets of the histogram.";
    let mut map = heat_map(
        (1, "Frequency: events at each latency, all hosts", "short"),
        &format!("sum by (le) ({})", each("bucket", "increase")),
        "How often each latency occurred. Wrong where hosts have different bounds (le): choose those of one layout.",
    );
    map["options"]["yAxis"]["unit"] = json!(unit);
    let panels = vec![
        map,
        lines((2, "p99 of the ten slowest hosts", unit), &top(p99), interpolated),
        lines(
            (3, "Percentiles of all hosts", unit),
            &[("0.5", "p50"), ("0.95", "p95"), ("0.99", "p99")].map(quantile),
            interpolated,
        ),
        lines(
            (4, "Average waiting, the ten hosts with most", "short"),
            &top(of_host("sum") + to_seconds),
            "Time waited per second: the average number waiting.",
        ),
        lines(
            (5, "Events per second, the ten hosts with most", "short"),
            &top(of_host("count")),
            "",
        ),
    ];
    let choice = format!("label_values({name}_count{{{matchers}}}, {by})");
    let dashboard = json!({
        "title": format!("{name} by {by}"), "tags": ["isotherm", "latency"], "schemaVersion": 39,
        "editable": true, "graphTooltip": 1, "refresh": "1m", "timezone": "browser",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [
            {"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"},
            variable("host", &choice),
        ]},
        "annotations": {"list": []},
        "links": [],
        "panels": panels,
    });
    format!("{dashboard:#}\n")
}

/// Recording rules for Prometheus: the sums over all hosts, so that the map of the fleet is one series for
/// each bound.
pub fn fleet_rules(metric: FleetMetric<'_>) -> String {
    let FleetMetric { name, matchers, .. } = metric;
    let selector = if matchers.is_empty() { String::new() } else { format!("{{{matchers}}}") };
    let rule = |record: &str, expression: &str| {
        format!("      - record: {record}\n        expr: {}\n", yaml(expression))
    };
    let rate = |part: &str| format!("rate({name}_{part}{selector}[5m])");
    let rules = [
        rule(&format!("le:{name}_bucket:rate5m"), &format!("sum by (le) ({})", rate("bucket"))),
        rule(&format!("fleet:{name}_count:rate5m"), &format!("sum({})", rate("count"))),
        rule(&format!("fleet:{name}_sum:rate5m"), &format!("sum({})", rate("sum"))),
        rule(
            &format!("fleet:{name}:p99_5m"),
            &format!("histogram_quantile(0.99, sum by (le) ({}))", rate("bucket")),
        ),
    ];
    format!(
        "# Recording rules for {name} of all hosts. Give this file to Prometheus as one of its rule_files.\n\
         # 5m hold several samples at Prometheus' usual distance of 1m. All hosts must have the same bounds (le):\n\
         # sums over different ones are wrong.\n\
         groups:\n  - name: isotherm-fleet\n    interval: 15s\n    rules:\n{}",
        rules.concat()
    )
}

/// A text of YAML in single quotes.
fn yaml(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const METRIC: FleetMetric<'_> = FleetMetric {
        name: "a_seconds",
        matchers: "job=\"it's\"",
        by: "host",
        unit: Unit::Seconds,
    };

    #[test]
    fn panels_have_the_unit_of_the_histogram() {
        let text = fleet_dashboard(FleetMetric { unit: Unit::Millis, ..METRIC });
        let dashboard: serde_json::Value = serde_json::from_str(&text).unwrap();
        let panels = &dashboard["panels"];
        assert_eq!(panels[0]["options"]["yAxis"]["unit"], "ms");
        for (place, unit) in [(1, "ms"), (2, "ms"), (3, "short")] {
            assert_eq!(panels[place]["fieldConfig"]["defaults"]["unit"], unit, "{place}");
        }
        let waiting = panels[3]["targets"][0]["expr"].as_str().unwrap();
        assert!(waiting.ends_with("[$__rate_interval])) / 1e3)"), "{waiting}");
    }

    #[test]
    fn every_panel_asks_for_the_chosen_hosts_of_the_histogram() {
        let dashboard: serde_json::Value = serde_json::from_str(&fleet_dashboard(METRIC)).unwrap();
        let panels = dashboard["panels"].as_array().unwrap();
        assert_eq!(panels.len(), 5);
        for panel in panels {
            for target in panel["targets"].as_array().unwrap() {
                let query = target["expr"].as_str().unwrap();
                assert!(query.contains("a_seconds_"), "{query}");
                assert!(query.contains("{job=\"it's\",host=~\"$host\"}"), "{query}");
            }
        }
    }

    #[test]
    fn rules_are_quoted_as_yaml() {
        let rules = fleet_rules(METRIC);
        assert!(
            rules.contains("expr: 'sum by (le) (rate(a_seconds_bucket{job=\"it''s\"}[5m]))'"),
            "{rules}"
        );
        assert_eq!(rules.matches("record:").count(), 4);
    }
}
