//! How a server can be asked: found by trying, not by its version.

use isotherm_frame::Unit;
use isotherm_oracle::identifier;

use super::answer::Answer;
use super::grants::{grants, user_of};
use super::poll_request::PollRequest;
use super::remote::{Remote, RequestError};
use super::{Query, SessionError};

/// A way to ask that works, what had to be given up for it, and the first answer.
#[derive(Debug)]
pub(crate) struct Way {
    pub(crate) query: Query,
    pub(crate) said: Vec<String>,
    pub(crate) first: Answer,
}

/// `ORA-00942: table or view does not exist`, which is also what a missing privilege gives.
const NO_VIEW: u32 = 942;
/// Rows expected of the first poll.
const ROWS: u32 = 1_000;

/// Finds out how to ask for what is wanted.
pub(crate) fn survey(
    remote: &Remote,
    name: &str,
    wanted: &PollRequest,
) -> Result<Way, RequestError> {
    let instances = Instances::find(remote, name)?;
    instances.check(wanted)?;
    let query = Query {
        unit: Unit::Micros,
        global: instances.cluster,
        per_pdb: wanted.per_pdb,
        exact: true,
        events: wanted.events.clone(),
        idle_known: true,
        instances: wanted.instances.clone(),
        aggregated: true,
        stamped: false,
    };
    let mut trial = Trial { remote, name, version: instances.version, query, said: Vec::new() };
    loop {
        match remote.lines(&trial.query.select(), ROWS) {
            Ok(first) => return Ok(Way { query: trial.query, said: trial.said, first }),
            Err(RequestError::Session(SessionError::Sql { code, message })) => {
                trial.give_up_something(code, &message)?;
            }
            Err(failure) => return Err(failure),
        }
    }
}

/// The instances that run.
#[derive(Debug, Default)]
struct Instances {
    numbers: Vec<u32>,
    version: String,
    cluster: bool,
}

impl Instances {
    fn find(remote: &Remote, name: &str) -> Result<Instances, RequestError> {
        for (view, number) in [("gv$instance", "inst_id"), ("v$instance", "instance_number")] {
            let sql =
                format!("SELECT 'I|'||{number}||'||'||version||'|'||parallel AS line FROM {view}");
            match remote.lines(&sql, 50) {
                Ok(answer) => return Ok(Instances::read(&answer.text, view == "gv$instance")),
                Err(RequestError::Session(SessionError::Sql { code: NO_VIEW, .. })) => {}
                Err(failure) => return Err(failure),
            }
        }
        let views = ["v$instance", "gv$instance"].map(str::to_owned);
        Err(missing(name, &views))
    }

    /// Reads lines such as `I|1||19.0.0.0.0|YES`.
    fn read(text: &str, global: bool) -> Instances {
        let mut found = Instances::default();
        for line in text.lines() {
            let mut fields = line.split('|').skip(1);
            found.numbers.extend(fields.next().and_then(|number| number.parse::<u32>().ok()));
            fields.next();
            fields.next().unwrap_or_default().clone_into(&mut found.version);
            found.cluster |= global && fields.next() == Some("YES");
        }
        found.cluster |= found.numbers.len() > 1;
        found
    }

    fn check(&self, wanted: &PollRequest) -> Result<(), RequestError> {
        let missing = wanted.instances.iter().find(|number| !self.numbers.contains(number));
        let Some(number) = missing else { return Ok(()) };
        let list =
            |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let running = list(&self.numbers);
        let text = format!(
            "no instance {number} is running, but the address has inst={}; running: {running}",
            list(&wanted.instances)
        );
        Err(SessionError::Refused(text).into())
    }

    /// Whether a version has the view with microseconds: 12.1.0.2 and later.
    fn has_micro(version: &str) -> bool {
        let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        let mut next = || parts.next().unwrap_or(0);
        [next(), next(), next(), next()] >= [12, 1, 0, 2]
    }
}

/// A way to ask that is being tried.
struct Trial<'a> {
    remote: &'a Remote,
    name: &'a str,
    version: String,
    query: Query,
    said: Vec<String>,
}

impl Trial<'_> {
    /// After a statement failed: finds out which view it is about and asks for less.
    fn give_up_something(&mut self, code: u32, message: &str) -> Result<(), RequestError> {
        let (histogram, totals) = (self.query.histogram_view(), self.query.totals_view());
        if !self.reads(histogram)? {
            return self.give_up_histogram(histogram);
        }
        if self.query.exact && !self.reads(totals)? {
            self.query.exact = false;
            self.say(
                "the exact time waited cannot be read: it is estimated from the buckets",
                totals,
            );
        } else if self.query.idle_known && self.query.events.is_empty() && !self.can_read(IDLE)? {
            self.query.idle_known = false;
            let said = "the list of idle wait events cannot be read: those known by name are left \
                        out";
            self.say_exactly(said, IDLE);
        } else if self.query.aggregated && code != NO_VIEW {
            // Before 11.2 there is no LISTAGG.
            self.query.aggregated = false;
        } else {
            let text = format!("{}: {message}", self.name);
            return Err(SessionError::Refused(text).into());
        }
        Ok(())
    }

    fn give_up_histogram(&mut self, view: &'static str) -> Result<(), RequestError> {
        if self.query.per_pdb {
            self.query.per_pdb = false;
            self.say("counters of containers cannot be read: instances are shown whole", view);
            return Ok(());
        }
        let milli = Query { unit: Unit::Millis, ..self.query.clone() };
        let coarse = milli.histogram_view();
        if self.query.unit == Unit::Millis || !self.reads(coarse)? {
            let views = self.all_views();
            return Err(missing(self.name, &views));
        }
        self.query = milli;
        if Instances::has_micro(&self.version) {
            self.say(
                "microseconds cannot be read: buckets are powers of two of milliseconds",
                view,
            );
        } else {
            self.said.push(format!(
                "version {} counts waits in milliseconds: shorter ones are not distinguished",
                self.version
            ));
        }
        Ok(())
    }

    /// Every view that the whole of what is wanted needs.
    fn all_views(&self) -> Vec<String> {
        let micro = Query { unit: Unit::Micros, ..self.query.clone() };
        let mut views = vec![
            self.full("v$instance"),
            self.full(micro.histogram_view()),
            self.full(micro.totals_view()),
        ];
        if self.query.events.is_empty() {
            views.push(IDLE.to_owned());
        }
        views
    }

    /// A view as it is asked: of one instance or of all.
    fn full(&self, view: &str) -> String {
        if self.query.global { format!("g{view}") } else { view.to_owned() }
    }

    fn reads(&self, view: &str) -> Result<bool, RequestError> {
        self.can_read(&self.full(view))
    }

    fn can_read(&self, view: &str) -> Result<bool, RequestError> {
        match self.remote.lines(&format!("SELECT '1' AS line FROM {view} WHERE 1 = 0"), 1) {
            Ok(_) => Ok(true),
            Err(RequestError::Session(SessionError::Sql { .. })) => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    fn say(&mut self, what: &str, view: &str) {
        let view = self.full(view);
        self.say_exactly(what, &view);
    }

    fn say_exactly(&mut self, what: &str, view: &str) {
        let grant = grants(&[view.to_owned()], user_of(self.name));
        self.said.push(format!("{what} (if the server has it: {})", grant.trim()));
    }
}

/// The view that tells idle events.
const IDLE: &str = "v$event_name";

/// What to do about views that cannot be read.
fn missing(name: &str, views: &[String]) -> RequestError {
    let user = user_of(name);
    let text = format!(
        "{name} may not read the wait views (ORA-00942); a DBA can allow it with\n{}\n\
         or with GRANT SELECT_CATALOG_ROLE TO {user};",
        grants(views, user),
        user = identifier(user)
    );
    SessionError::Refused(text).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_are_read_and_a_cluster_is_known() {
        let one = Instances::read("I|1||19.0.0.0.0|NO\n", true);
        assert_eq!((one.numbers, one.cluster, one.version), (vec![1], false, "19.0.0.0.0".into()));
        let two = Instances::read("I|1||19.0.0.0.0|YES\nI|3||19.0.0.0.0|YES\n", true);
        assert_eq!((two.numbers, two.cluster), (vec![1, 3], true));
        assert!(Instances::read("I|2||12.2.0.1.0|YES\n", true).cluster);
        assert!(!Instances::read("I|2||12.2.0.1.0|YES\n", false).cluster);
    }

    #[test]
    fn microseconds_came_with_12_1_0_2() {
        for (version, has) in [
            ("11.2.0.4.0", false),
            ("12.1.0.1.0", false),
            ("12.1.0.2.0", true),
            ("12.2.0.1.0", true),
            ("19.0.0.0.0", true),
            ("", false),
        ] {
            assert_eq!(Instances::has_micro(version), has, "{version}");
        }
    }
}
