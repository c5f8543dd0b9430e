//! What Grafana and Prometheus need to show the metrics.

use serde_json::{Value, json};

/// Only what the variables of the dashboard choose.
const CHOSEN: &str = "{source=~\"$source\",series=~\"$series\"}";
/// Panels are placed on a grid of 24 columns.
const HALF: u32 = 12;
const HEIGHT: u32 = 9;

/// A dashboard of Grafana: both maps, percentiles, events and average waiting. `page` is the address of
/// the live page, to which it links.
pub fn dashboard(page: &str) -> String {
    let variables = [
        json!({"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"}),
        variable("source", "label_values(isotherm_latency_seconds_count, source)"),
        variable(
            "series",
            "label_values(isotherm_latency_seconds_count{source=~\"$source\"}, series)",
        ),
    ];
    // Grafana puts the range of time in, milliseconds since 1970.
    let moment = format!("{page}#t=${{__from}}-${{__to}}");
    let link = json!({
        "title": "This time in isotherm serve", "type": "link", "icon": "external link", "url": moment,
        "targetBlank": true, "tags": [], "asDropdown": false, "includeVars": false, "keepTime": false,
        "tooltip": "Every interval, who waits, and what differs",
    });
    let dashboard = json!({
        "title": "isotherm", "uid": "isotherm", "tags": ["isotherm", "latency"], "schemaVersion": 39,
        "editable": true, "graphTooltip": 1, "refresh": "10s", "timezone": "browser",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": variables},
        "annotations": {"list": []},
        "links": [link],
        "panels": panels(),
    });
    format!("{dashboard:#}\n")
}

fn panels() -> Vec<Value> {
    let rate = |metric: &str| format!("rate({metric}{CHOSEN}[$__rate_interval])");
    let increase = |metric: &str| format!("increase({metric}{CHOSEN}[$__rate_interval])");
    let quantile = |(q, name): (&str, &str)| {
        let buckets = rate("isotherm_latency_seconds_bucket");
        (format!("histogram_quantile({q}, sum by (le) ({buckets}))"), name.to_owned())
    };
    let by_series = |metric: &str| format!("sum by (series) ({})", rate(metric));
    vec![
        heat_map(
            (1, "Frequency: events at each latency", "short"),
            &format!("sum by (le) ({})", increase("isotherm_latency_seconds_bucket")),
            "How often each latency occurred.",
        ),
        heat_map(
            (2, "Intensity: time waited at each latency", "short"),
            &format!("sum by (le) ({}) / 1e6", rate("isotherm_waited_microseconds_bucket")),
            "Average number waiting at each latency. Needs --waited.",
        ),
        lines(
            (3, "Percentiles", "s"),
            &[("0.5", "p50"), ("0.95", "p95"), ("0.99", "p99")].map(quantile),
            "Interpolated within powers of two: for exact ranges see the live page.",
        ),
        lines(
            (4, "Average waiting", "short"),
            &[(by_series("isotherm_latency_seconds_sum"), "{{series}}".to_owned())],
            "Time waited per second: the average number waiting.",
        ),
        lines(
            (5, "Events per second", "short"),
            &[(by_series("isotherm_latency_seconds_count"), "{{series}}".to_owned())],
            "",
        ),
        lines(
            (6, "Gaps and events without room", "short"),
            &[
                (lost("isotherm_gaps_total"), "gaps {{source}}".to_owned()),
                (lost("isotherm_left_out_events_total"), "events left out {{source}}".to_owned()),
            ],
            "Intervals of which nothing is known, and events of series after the first 2,000.",
        ),
    ]
}

/// What was not counted of each source.
fn lost(metric: &str) -> String {
    format!("sum by (source) (increase({metric}{{source=~\"$source\"}}[$__rate_interval]))")
}

pub(crate) fn variable(name: &str, query: &str) -> Value {
    json!({
        "name": name, "type": "query", "datasource": source(),
        "query": {"query": query, "refId": name}, "refresh": 2, "multi": true, "includeAll": true,
        "allValue": ".*", "current": {"text": ["All"], "value": ["$__all"]}, "sort": 1,
    })
}

fn source() -> Value {
    json!({"type": "prometheus", "uid": "${datasource}"})
}

fn panel((id, title, _): (u32, &str, &str), kind: &str, about: &str) -> Value {
    let (column, row) = ((id - 1) % 2 * HALF, (id - 1) / 2 * HEIGHT);
    json!({
        "id": id, "title": title, "type": kind, "description": about, "datasource": source(),
        "gridPos": {"x": column, "y": row, "w": HALF, "h": HEIGHT},
    })
}

/// Buckets as Grafana wants them: one list of bounds, named by `le`.
pub(crate) fn heat_map(head: (u32, &str, &str), query: &str, about: &str) -> Value {
    let mut panel = panel(head, "heatmap", about);
    panel["targets"] = json!([{
        "refId": "A", "datasource": source(), "expr": query, "format": "heatmap",
        "legendFormat": "{{le}}", "range": true,
    }]);
    panel["options"] = json!({
        "calculate": false, "cellGap": 0, "showValue": "never", "legend": {"show": true},
        "rowsFrame": {"layout": "le"},
        "yAxis": {"unit": "s", "axisPlacement": "left", "reverse": false},
        "color": {"mode": "scheme", "scheme": "Oranges", "scale": "exponential", "exponent": 0.5,
                  "steps": 64, "reverse": false, "fill": "dark-orange"},
        "filterValues": {"le": 1e-9}, "tooltip": {"mode": "single", "yHistogram": false},
        "exemplars": {"color": "rgba(255,0,255,0.7)"},
    });
    panel["fieldConfig"] = json!({"defaults": {}, "overrides": []});
    panel
}

pub(crate) fn lines(head: (u32, &str, &str), queries: &[(String, String)], about: &str) -> Value {
    let mut panel = panel(head, "timeseries", about);
    let targets = queries.iter().zip('A'..).map(|((query, legend), name)| {
        json!({"refId": name, "datasource": source(), "expr": query, "legendFormat": legend, "range": true})
    });
    panel["targets"] = targets.collect();
    panel["fieldConfig"] = json!({
        "defaults": {"unit": head.2, "min": 0, "custom": {"spanNulls": false, "lineWidth": 1, "fillOpacity": 0}},
        "overrides": [],
    });
    panel["options"] = json!({
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": true, "calcs": []},
        "tooltip": {"mode": "multi", "sort": "desc"},
    });
    panel
}

/// Recording rules for Prometheus: sums without hosts and attributes, so that the map of a fleet is one
/// series for each bound and source. Sources are kept apart: what one counts may be the cause of what
/// another counts, as a probe's reads are of a disk's.
pub fn recording_rules() -> String {
    RULES.to_owned()
}

const RULES: &str = r"# Recording rules for the metrics of isotherm. Give this file to Prometheus as one of its rule_files.
# The map of a fleet asks for the first two: one sum instead of the buckets of every host. Sources are kept apart,
# because the reads of a probe are reads of its disk, too. Add up those of one kind:
#   sum by (series, le) (source_series_le:isotherm_latency_seconds_bucket:rate5m{source=~'oracle:.*'})
# 5m hold several samples at Prometheus' usual distance of 1m: a rate needs two.
groups:
  - name: isotherm
    interval: 15s
    rules:
      - record: source_series_le:isotherm_latency_seconds_bucket:rate5m
        expr: sum by (source, series, le) (rate(isotherm_latency_seconds_bucket[5m]))
      - record: source_series_le:isotherm_waited_microseconds_bucket:rate5m
        expr: sum by (source, series, le) (rate(isotherm_waited_microseconds_bucket[5m]))
      - record: source_series:isotherm_latency_seconds_count:rate5m
        expr: sum by (source, series) (rate(isotherm_latency_seconds_count[5m]))
      - record: source_series:isotherm_latency_seconds_sum:rate5m
        expr: sum by (source, series) (rate(isotherm_latency_seconds_sum[5m]))
      - record: source_series:isotherm_latency_seconds:p99_5m
        expr: histogram_quantile(0.99, sum by (source, series, le) (rate(isotherm_latency_seconds_bucket[5m])))
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_keeps_sources_apart() {
        let rules: Vec<&str> = RULES.lines().filter(|line| line.contains("expr: ")).collect();
        assert_eq!(rules.len(), 5);
        assert!(rules.iter().all(|rule| rule.contains("sum by (source, series")), "{rules:?}");
        assert_eq!(RULES.matches("record: source_series").count(), 5);
        assert!(rules.iter().all(|rule| rule.contains("[5m]")), "several samples a minute apart");
    }

    #[test]
    fn every_panel_shows_the_chosen_sources() {
        let dashboard: Value = serde_json::from_str(&dashboard("http://127.0.0.1:7414/")).unwrap();
        let panels = dashboard["panels"].as_array().unwrap().iter();
        let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
        let queries: Vec<&str> = targets.map(|target| target["expr"].as_str().unwrap()).collect();
        assert_eq!(queries.len(), 9);
        assert!(queries.iter().all(|query| query.contains("source=~\"$source\"")), "{queries:?}");
    }
}
