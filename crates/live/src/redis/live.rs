//! `redis://...`: a server that is asked live.

use super::address::RedisAddress;
use super::answer::totals;
use super::events;
use super::session::{RedisError, Session};
use super::slow_commands::{Known, QUESTION, new_entries};
use crate::feed::{LiveOptions, OpenError, Running};
use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};
use crate::password;
use crate::polling::{PollError, Polled, Totals, start};
use crate::wait_event::WaitEvent;
use isotherm_formats::unread_options::no_conditions;
use isotherm_formats::{Counting, DecodeError, Meta, Need};
use isotherm_frame::Nanos;

/// The variable of the environment that holds the password.
const VARIABLE: &str = "REDISCLI_AUTH";

/// `redis://...`.
pub(crate) static LIVE: Live = Live {
    metas: &[&META],
    schemes: &[LiveScheme { name: "redis", needs: "a server", example: "redis://localhost:6379" }],
    target: |_, rest| Ok(LiveAddress::new(RedisAddress::read(rest)?)),
    load_instead: |_| None,
};

impl Target for RedisAddress {
    fn connects(&self) -> bool {
        true
    }

    fn events(&self, warn: &mut dyn FnMut(String)) -> Option<Result<Vec<WaitEvent>, OpenError>> {
        Some(self.listed(warn))
    }

    fn open(&self, options: &LiveOptions, begin: Start) -> Result<Running, OpenError> {
        let mut outbox = begin.outbox;
        if !options.context.only.is_empty() {
            let what = if self.slow_log { "SLOWLOG GET" } else { "LATENCY HISTOGRAM" };
            return Err(DecodeError::Request(no_conditions(what)).into());
        }
        let file = self.password_file.as_deref();
        let known = password::known(&self.target(), file, self.password.as_deref(), VARIABLE)?;
        outbox.keep_warnings(known.warning);
        let (session, password) = connect(self, known.password)?;
        let interval = options.interval.unwrap_or(Nanos::SECOND);
        let server = Server { address: self.clone(), password, known: Known::default() };
        start("isotherm-redis", server, session, outbox, interval)
    }
}

impl RedisAddress {
    fn listed(&self, warn: &mut dyn FnMut(String)) -> Result<Vec<WaitEvent>, OpenError> {
        let file = self.password_file.as_deref();
        let known = password::known(&self.target(), file, self.password.as_deref(), VARIABLE)?;
        known.warning.into_iter().for_each(warn);
        let (mut session, _) = connect(self, known.password)?;
        events::listed(&mut session).map_err(refused)
    }
}

fn refused(error: RedisError) -> OpenError {
    match error {
        RedisError::Password(why) | RedisError::Refused(why) | RedisError::Lost(why) => {
            OpenError::Server(why)
        }
    }
}

/// A server and how we log on there.
struct Server {
    address: RedisAddress,
    password: Option<String>,
    /// What of its log of slow commands is known.
    known: Known,
}

impl Polled for Server {
    type Session = Session;

    fn connect(&mut self) -> Result<Session, PollError> {
        Session::open(&self.address, self.password.as_deref()).map_err(PollError::from)
    }

    fn poll(&mut self, session: &mut Session) -> Result<Totals, PollError> {
        if !self.address.slow_log {
            return session.poll(totals).map_err(PollError::from);
        }
        let known = self.known;
        let answer = session.ask(&QUESTION, |answer| new_entries(answer, known));
        let (found, known) = answer.map_err(PollError::from)?;
        self.known = known;
        Ok(found)
    }
}

impl From<RedisError> for PollError {
    fn from(error: RedisError) -> PollError {
        match error {
            RedisError::Lost(why) => PollError::Lost(why),
            RedisError::Refused(why) | RedisError::Password(why) => PollError::Refused(why),
        }
    }
}

/// Connects, asking for a password on the terminal if the server wants one and none is known.
fn connect(
    address: &RedisAddress,
    password: Option<String>,
) -> Result<(Session, Option<String>), OpenError> {
    match Session::open(address, password.as_deref()) {
        Ok(session) => Ok((session, password)),
        Err(RedisError::Password(_)) if password.is_none() => {
            let found = password::find(&address.target(), None, VARIABLE)?;
            let password = found.secret.reveal().to_owned();
            let session = Session::open(address, Some(&password)).map_err(refused)?;
            Ok((session, Some(password)))
        }
        Err(error) => Err(refused(error)),
    }
}

static META: Meta = Meta {
    name: "redislive",
    address: "redis://[USER@]HOST[:PORT] or redis:///SOCKET",
    about: "Latencies of a Redis server, by command: polls of LATENCY HISTOGRAM, with the exact \
        time from INFO commandstats; with ?slowlog=1 each slow command of SLOWLOG",
    needs: &[
        Need {
            what: "Redis 7.0 or later with latency-tracking yes (the default)",
            how: "redis-cli CONFIG GET latency-tracking",
        },
        Need {
            what: "a user who may run PING, INFO, MULTI, EXEC and LATENCY HISTOGRAM",
            how: "ACL SETUSER NAME +ping +info +multi +exec +latency|histogram; with ?slowlog=1 +ping \
                +slowlog|get",
        },
        Need {
            what: "the password, if there is one",
            how: "from REDISCLI_AUTH, ?password_file=FILE or the terminal; it is sent to another \
                machine only with ?clear_text=yes, since there is no TLS: use a tunnel",
        },
    ],
    command: "isotherm live redis://localhost:6379",
    overhead: "A poll took about 200 microseconds of the server's only thread: 150 for the \
        transaction, 30 for each INFO (Redis 7.0, 11 commands in use, a virtual machine with 2 \
        cores). Redis keeps the histograms in any case and uses 40 KB of memory for each command.",
    loses: "The exact latency within a bucket: buckets double in width, and one bucket holds \
        everything from one second up. Queues and the network: the server measures only the \
        execution of a command. Calls that failed or were rejected are not counted; isotherm's own \
        commands are. An interval with a CONFIG RESETSTAT or a server restart is a gap. With ?slowlog=1 \
        there are only commands slower than slowlog-log-slower-than (10 ms by default), at the second that \
        the server writes, within the poll that found them; those that leave the log between two \
        polls (slowlog-max-len, 128 by default) are counted as rejected.",
    counting: Counting::Totals("CONFIG RESETSTAT and a restart of the server"),
    exact_time: true,
    example: "\
$ isotherm live redis://localhost:6379 --series set --for 3s | cat
# 2026-11-23 UTC · cells ev/s ·>0 ░120 ▒6.25k ▓25.0k █56.2k to 100k sqrt
#time      ev/s waiting        p50        p99  <1.04µs 8.26µs  132µs     >4.22ms  note
02:40:23  76.6k  0.0232     <1.1µs     <1.1µs  ██··············  ··
02:40:24  91.1k  0.0226     <1.1µs     <1.1µs  ██··············
",
    interpretation: "redis-benchmark writes 76,600 to 91,100 values a second. Nearly every SET \
        takes less than the first bound, 1.03 microseconds. The exact time, 0.0226 waiting, gives \
        a mean of 0.25 microseconds.",
};
