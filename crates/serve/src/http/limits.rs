//! How much and how long.

use std::time::Duration;

/// What a client may take.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a request's line and fields.
    pub head_bytes: usize,
    /// Bytes of a request's body.
    pub body_bytes: usize,
    /// How long a request's head may take to come.
    pub head_time: Duration,
    /// How long its body may take.
    pub body_time: Duration,
    /// How long one event of a stream may take to go.
    pub event_time: Duration,
    /// How long any other answer may take to go.
    pub answer_time: Duration,
    /// How many connections there may be at once.
    pub connections: usize,
    /// How long a stream of events says nothing before it says that it is there.
    pub quiet_time: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            head_bytes: 16 << 10,
            body_bytes: 4 << 10,
            head_time: Duration::from_secs(5),
            body_time: Duration::from_secs(5),
            event_time: Duration::from_secs(10),
            answer_time: Duration::from_mins(1),
            connections: 256,
            quiet_time: Duration::from_secs(15),
        }
    }
}
