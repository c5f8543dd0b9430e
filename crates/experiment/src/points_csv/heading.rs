//! What the columns of a table are called.

/// What a column says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    InFlight,
    Throughput,
    Response,
    Arrival,
    Service,
    Queue,
}

/// A column that is understood.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct Column {
    pub role: Role,
    /// Seconds, or operations per second, of one of its unit; none where no unit is written.
    pub scale: Option<f64>,
}

const NAMES: [(Role, &[&str]); 6] = [
    (
        Role::InFlight,
        &[
            "n",
            "workers",
            "in_flight",
            "inflight",
            "sessions",
            "clients",
            "threads",
            "users",
            "concurrency",
            "depth",
            "iodepth",
            "queue_depth",
        ],
    ),
    (
        Role::Throughput,
        &["x", "throughput", "iops", "tps", "qps", "ops", "rate", "operations", "transactions"],
    ),
    (
        Role::Response,
        &[
            "r",
            "response",
            "response_time",
            "latency",
            "mean",
            "avg",
            "average",
            "lat",
            "mean_latency",
            "avg_latency",
            "mean_response",
        ],
    ),
    (Role::Arrival, &["l", "lambda", "arrival", "arrivals", "arrival_rate", "workload"]),
    (Role::Service, &["s", "service", "service_time"]),
    (Role::Queue, &["q", "queue", "queue_time", "wait", "wait_time"]),
];

const TIMES: [(&str, f64); 10] = [
    ("ns", 1e-9),
    ("us", 1e-6),
    ("µs", 1e-6),
    ("usec", 1e-6),
    ("ms", 1e-3),
    ("msec", 1e-3),
    ("s", 1.0),
    ("sec", 1.0),
    ("second", 1.0),
    ("seconds", 1.0),
];

impl Role {
    pub const ALL: [Role; 6] = [
        Role::InFlight,
        Role::Throughput,
        Role::Response,
        Role::Arrival,
        Role::Service,
        Role::Queue,
    ];

    /// What it is, in words.
    pub fn in_words(self) -> &'static str {
        match self {
            Role::InFlight => "in flight",
            Role::Throughput => "throughput",
            Role::Response => "response time",
            Role::Arrival => "arrivals",
            Role::Service => "service time",
            Role::Queue => "queue time",
        }
    }

    /// What it is called where a user names columns.
    pub fn key(self) -> &'static str {
        match self {
            Role::InFlight => "n",
            Role::Throughput => "x",
            Role::Response => "response_ms",
            Role::Arrival => "arrivals",
            Role::Service => "service_ms",
            Role::Queue => "queue_ms",
        }
    }

    pub fn is_time(self) -> bool {
        matches!(self, Role::Response | Role::Service | Role::Queue)
    }
}

impl Column {
    /// What a heading means: a name, and perhaps a unit behind it, such as `response_ms`,
    /// `latency (us)`, `arrivals per s`, `l/ms`.
    pub fn named(heading: &str) -> Option<Column> {
        let words = normal(heading);
        if let Some(role) = role(&words) {
            return Some(Column { role, scale: None });
        }
        let (name, unit) = words.rsplit_once('_')?;
        let seconds = TIMES.iter().find(|(known, _)| *known == unit)?.1;
        let Some(name) = name.strip_suffix("_per") else {
            let role = role(name).filter(|role| role.is_time())?;
            return Some(Column { role, scale: Some(seconds) });
        };
        let role = role(name).filter(|role| !role.is_time() && *role != Role::InFlight)?;
        Some(Column { role, scale: Some(1.0 / seconds) })
    }
}

fn role(name: &str) -> Option<Role> {
    NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(role, _)| *role)
}

/// A heading in small letters, its words joined by `_`, `/` as `per`.
fn normal(heading: &str) -> String {
    let spaced = heading.to_lowercase().replace('/', " per ");
    let words = spaced.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).collect::<Vec<&str>>().join("_")
}

/// What separates the cells of a table with this first line.
pub(super) fn delimiter(head: &str) -> char {
    ['\t', ';'].into_iter().find(|&one| head.contains(one)).unwrap_or(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_units_are_understood_as_people_write_them() {
        for (heading, role, scale) in [
            ("N", Role::InFlight, None),
            ("In Flight", Role::InFlight, None),
            ("IOPS", Role::Throughput, None),
            ("ops/s", Role::Throughput, Some(1.0)),
            ("throughput_per_s", Role::Throughput, Some(1.0)),
            ("Response time (ms)", Role::Response, Some(1e-3)),
            ("latency_us", Role::Response, Some(1e-6)),
            ("mean [µs]", Role::Response, Some(1e-6)),
            ("L/ms", Role::Arrival, Some(1e3)),
            ("arrival_rate", Role::Arrival, None),
            ("service_time_ns", Role::Service, Some(1e-9)),
            ("Q ms", Role::Queue, Some(1e-3)),
            ("R", Role::Response, None),
        ] {
            let found = Column::named(heading);
            assert_eq!(found.map(|one| one.role), Some(role), "{heading}");
            let found = found.and_then(|one| one.scale);
            let close = match (found, scale) {
                (Some(a), Some(b)) => (a / b - 1.0_f64).abs() < 1e-12,
                (None, None) => true,
                _ => false,
            };
            assert!(close, "{heading}: {found:?}");
        }
        for heading in ["", "p99_ms", "n_ms", "latency_per_s", "colour", "ms", "_"] {
            assert_eq!(Column::named(heading), None, "{heading}");
        }
    }
}
