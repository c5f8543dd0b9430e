//! One predefined query: what it reads, and its statement.

use isotherm_oracle::awr::history::COMMON_COLUMNS;

use super::super::query::{HistogramView, Layout, Selection, Span, in_utc, span_conditions};

/// One of the predefined queries.
#[derive(Debug)]
pub(crate) struct AwrSeries {
    /// What it is asked for by, and what its CSV is called.
    pub(crate) name: &'static str,
    /// What it tells.
    pub(crate) about: &'static str,
    /// The columns that say what a row is about.
    pub(super) keys: &'static [&'static str],
    /// The columns with numbers, with their units.
    pub(super) values: &'static [&'static str],
    /// Where the rows come from; several together have a row for each.
    pub(super) parts: &'static [Part],
    pub(super) kind: Kind,
    /// Whether rows of the same keys are added up.
    pub(super) grouped: bool,
    /// The most rows, of those that are largest.
    pub(super) top: Option<Top>,
}

/// What a view holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Totals since the instance started.
    Totals,
    /// What happened since the snapshot before.
    Amounts,
}

/// Rows of one view. In expressions `@` stands for a row of it, `{histograms}` for the view of histograms that
/// a release has, and `{bound}` for the upper bounds of its buckets.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) view: &'static str,
    /// The columns that tell its rows apart.
    pub(super) ids: &'static [&'static str],
    pub(super) keys: &'static [&'static str],
    pub(super) values: &'static [&'static str],
    pub(super) filter: &'static str,
}

/// Rows that are kept.
#[derive(Copy, Clone, Debug)]
pub(super) struct Top {
    pub(super) rows: u32,
    /// The number of the value, from 1, that they are ranked by.
    pub(super) by: usize,
    /// Whether each snapshot has its own ranking.
    pub(super) each_snapshot: bool,
}

/// The key that is an upper bound of a bucket; its name has the unit.
const BOUND: &str = "wait_time_ms";

/// What joins rows of one container alone, where a release has containers.
pub(crate) const SAME_CONTAINER: &str = " and o.con_dbid = t.con_dbid";

impl AwrSeries {
    /// The first line of its CSV.
    pub(crate) fn heads(&self, layout: &Layout) -> String {
        let bound = format!("wait_time_{}", layout.histograms().unit);
        let keys = self.keys.iter().map(|key| if *key == BOUND { bound.as_str() } else { *key });
        let columns = COMMON_COLUMNS.iter().copied().chain(keys).chain(self.values.iter().copied());
        columns.collect::<Vec<_>>().join(",")
    }

    /// The statement, whose rows are lines of the CSV.
    pub(crate) fn sql(&self, layout: &Layout, span: &Span) -> String {
        let (rows, kept) = self.ranked();
        let same_container = if layout.containers { SAME_CONTAINER } else { "" };
        let HistogramView { name: histograms, bound, .. } = layout.histograms();
        format!(
            "with snap as (\n{snaps}),\ndata as (\n{data}){rows}\n\
             select {line} as line\n\
             from {kept}\n\
             order by d.dbid, d.snap_id, d.inst, {order}",
            snaps = snapshots(self.kind, layout, span),
            data = self
                .data()
                .replace("{same_container}", same_container)
                .replace("{histograms}", histograms)
                .replace("{bound}", bound),
            line = self.line(layout),
            order = numbered(self.keys.len()).join(", "),
        )
    }

    /// The rows, one for each key of each snapshot.
    fn data(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(|part| self.rows(part)).collect();
        let all = parts.join("union all\n");
        if !self.grouped {
            return all;
        }
        let keys = numbered(self.keys.len()).join(", ");
        let sums: Vec<String> = (1..=self.values.len())
            .map(|number| format!("sum(d.v{number}) as v{number}"))
            .collect();
        let sums = sums.join(", ");
        format!(
            "select d.dbid, d.inst, d.snap_id, d.began, d.ended, {keys}, {sums}\nfrom (\n{all}) d\n\
             group by d.dbid, d.inst, d.snap_id, d.began, d.ended, {keys}\n"
        )
    }

    fn rows(&self, part: &Part) -> String {
        let of = |expression: &str, alias: &str| expression.replace('@', alias);
        let key = |(index, key): (usize, &&str)| format!("{} as k{}", of(key, "e"), index + 1);
        let keys: Vec<String> = part.keys.iter().enumerate().map(key).collect();
        let value = |(index, value): (usize, &&str)| {
            let now = of(value, "e");
            let amount = match self.kind {
                Kind::Totals => format!("{now} - coalesce({}, 0)", of(value, "b")),
                Kind::Amounts => now,
            };
            format!("{amount} as v{}", index + 1)
        };
        let values: Vec<String> = part.values.iter().enumerate().map(value).collect();
        let same: Vec<String> = part.ids.iter().map(|id| format!(" and b.{id} = e.{id}")).collect();
        let same = same.concat();
        let before = match self.kind {
            Kind::Totals => format!(
                "left join {} b on b.dbid = e.dbid and b.snap_id = s.before\n\
                 and b.instance_number = e.instance_number{same}\n",
                part.view
            ),
            Kind::Amounts => String::new(),
        };
        format!(
            "select s.dbid, s.inst, s.snap_id, s.began, s.ended,\n{}, {}\n\
             from snap s join {} e\n\
             on e.dbid = s.dbid and e.snap_id = s.snap_id and e.instance_number = s.inst\n\
             {before}where s.began is not null{}\n",
            keys.join(", "),
            values.join(", "),
            part.view,
            of(part.filter, "e"),
        )
    }

    /// What ranks the rows, and where the kept ones come from.
    fn ranked(&self) -> (String, String) {
        let Some(top) = self.top else { return (String::new(), "data d".to_owned()) };
        let keys = numbered(self.keys.len()).join(", ");
        let within = if top.each_snapshot { "d.dbid, d.inst, d.snap_id" } else { "d.dbid, d.inst" };
        let (by, rows) = (top.by, top.rows);
        let ranked = format!(
            ",\nweighed as (\nselect d.*, sum(d.v{by}) over (partition by {within}, {keys}) as weight\n\
             from data d),\nranked as (\nselect d.*,\n\
             dense_rank() over (partition by {within} order by d.weight desc, {keys}) as place\n\
             from weighed d)"
        );
        (ranked, format!("ranked d\nwhere d.place <= {rows}"))
    }

    /// A row as a line of CSV. An empty text is none in Oracle, and adds nothing.
    fn line(&self, layout: &Layout) -> String {
        let zone = if layout.zone { " || 'Z'" } else { "" };
        let keys = (1..=self.keys.len()).map(|number| {
            format!("'\"' || replace(coalesce(d.k{number}, ''), '\"', '\"\"') || '\"'")
        });
        let values = (1..=self.values.len())
            .map(|number| format!("to_char(d.v{number}, 'FM99999999999999999990.999999')"));
        let cells: Vec<String> = [
            format!("to_char(d.ended, 'YYYY-MM-DD\"T\"HH24:MI:SS'){zone}"),
            format!("to_char({}, 'FM9999999990.000')", seconds("d.ended - d.began")),
            "d.dbid".to_owned(),
            "d.inst".to_owned(),
            "d.snap_id".to_owned(),
        ]
        .into_iter()
        .chain(keys)
        .chain(values.map(|value| format!("coalesce(rtrim({value}, '.'), '')")))
        .collect();
        cells.join("\n|| ',' || ")
    }
}

/// The snapshots, each with the one before it of the same start of the instance.
fn snapshots(kind: Kind, layout: &Layout, span: &Span) -> String {
    let ended = in_utc(layout, "end_interval_time");
    let before = "over (partition by s.dbid, s.instance_number, s.startup_time order by s.snap_id)";
    let began = match kind {
        Kind::Totals => format!(
            "coalesce(lag({ended}) {before},\n\
             case when s.begin_interval_time <= s.startup_time then {} end)",
            in_utc(layout, "startup_time")
        ),
        Kind::Amounts => in_utc(layout, "begin_interval_time"),
    };
    let conditions = span_conditions(layout, &Selection::default(), span).join(" and ");
    let conditions = if conditions.is_empty() { "1 = 1".to_owned() } else { conditions };
    format!(
        "select s.dbid, s.instance_number as inst, s.snap_id, {ended} as ended,\n\
         lag(s.snap_id) {before} as before,\n{began} as began\n\
         from dba_hist_snapshot s\nwhere {conditions}"
    )
}

/// The length of an interval in seconds.
fn seconds(interval: &str) -> String {
    let part = |unit: &str| format!("extract({unit} from ({interval}))");
    format!(
        "{} * 86400 + {} * 3600 + {} * 60 + {}",
        part("day"),
        part("hour"),
        part("minute"),
        part("second")
    )
}

/// The keys of a row: `d.k1`, `d.k2`, ...
fn numbered(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("d.k{number}")).collect()
}
