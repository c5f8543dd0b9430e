//! What a fake server is told to do.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;

use crate::value::{Column, Value};

/// What is answered to a statement.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Rows: one value per column in each.
    Rows(Vec<Column>, Vec<Vec<Value>>),
    /// Success without rows: a statement that changed so many, a block of PL/SQL, a definition.
    Done(u64),
    /// `ORA-` and this number, with this text after it.
    Error(u32, String),
    /// The answer after a while. A break by the client ends it with ORA-01013, as on a server.
    Later(Duration, Box<Answer>),
    /// Nothing, never, not even to a break: a server that has died behind a firewall.
    Silence,
    /// Bytes that are no packet.
    Garbage,
    /// The connection is closed without a word.
    Hangup,
}

impl Answer {
    /// Rows of one text column.
    pub fn lines<L: Into<String>>(lines: impl IntoIterator<Item = L>) -> Answer {
        let rows = lines.into_iter().map(|line| vec![Value::Text(line.into())]).collect();
        Answer::Rows(vec![Column::Text("LINE")], rows)
    }

    /// ORA-00942, which is what both a view that does not exist and a missing grant give.
    pub fn no_such_view() -> Answer {
        Answer::Error(942, "table or view does not exist".to_owned())
    }

    /// This answer, after a while.
    #[must_use]
    pub fn after(self, wait: Duration) -> Answer {
        Answer::Later(wait, Box::new(self))
    }
}

/// How a connection is met.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum Greeting {
    /// It is accepted, and any user with any password is let in.
    #[default]
    Welcome,
    /// As [`Greeting::Welcome`], by a server of version 23 or later, which marks where its
    /// answers end.
    Modern,
    /// The listener refuses with this ORA- number: 12514 is an unknown service.
    Refuse(u32),
    /// The connection is accepted by TCP and nothing is ever said.
    Silence,
    /// It falls silent once it is asked to log the user on.
    SilenceAtLogon,
    /// The logon fails with this ORA- number: 1017 is a wrong password.
    RefuseLogon(u32),
    /// Native network encryption is required.
    EncryptionRequired,
    /// The user's password has no verifier of version 12C.
    OldVerifier,
    /// The server speaks a protocol of before version 12.
    OldProtocol,
    /// The answer to the first message is damaged.
    Malformed,
    /// It is something else altogether: it talks like an SSH server.
    Stranger,
    /// The connection is closed at once.
    Hangup,
}

type Reply = Box<dyn Fn(&str) -> Answer + Send + Sync>;

/// What a server answers to whom.
#[derive(Default)]
pub struct Script {
    greetings: Mutex<VecDeque<Greeting>>,
    rules: Vec<(String, Reply)>,
    password: Option<String>,
}

impl Script {
    /// Meets the next connections so, in this order; the last also those after it.
    #[must_use]
    pub fn greet(self, greetings: impl IntoIterator<Item = Greeting>) -> Script {
        Script { greetings: Mutex::new(greetings.into_iter().collect()), ..self }
    }

    /// Lets in only those who have this password, and shows them that it has it as well. Without
    /// one it is any; clients that demand the server's proof then need the password `any`.
    #[must_use]
    pub fn password(self, password: &str) -> Script {
        Script { password: Some(password.to_owned()), ..self }
    }

    /// Answers so to statements in which `mention` occurs, in either case. Of several rules that
    /// fit the first counts; where none fits the answer is ORA-00942.
    #[must_use]
    pub fn on(self, mention: &str, answer: Answer) -> Script {
        self.on_call(mention, move |_| answer.clone())
    }

    /// Answers the first such statement with the first of `answers` and so on; the last is
    /// repeated. Without any it is ORA-00942.
    #[must_use]
    pub fn on_each(self, mention: &str, answers: impl IntoIterator<Item = Answer>) -> Script {
        let answers: Mutex<VecDeque<Answer>> = Mutex::new(answers.into_iter().collect());
        self.on_call(mention, move |_| next(&answers).unwrap_or_else(Answer::no_such_view))
    }

    /// Answers such statements with what a function makes of them.
    #[must_use]
    pub fn on_call(
        mut self,
        mention: &str,
        reply: impl Fn(&str) -> Answer + Send + Sync + 'static,
    ) -> Script {
        self.rules.push((mention.to_ascii_lowercase(), Box::new(reply)));
        self
    }

    pub(crate) fn wanted_password(&self) -> Option<&str> {
        self.password.as_deref()
    }

    pub(crate) fn greeting(&self) -> Greeting {
        next(&self.greetings).unwrap_or_default()
    }

    pub(crate) fn answer(&self, sql: &str) -> Answer {
        let lower = sql.to_ascii_lowercase();
        let rule = self.rules.iter().find(|(mention, _)| lower.contains(mention));
        rule.map_or_else(Answer::no_such_view, |(_, reply)| reply(sql))
    }
}

/// Takes the first of a queue; the last stays.
fn next<T: Clone>(queue: &Mutex<VecDeque<T>>) -> Option<T> {
    let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    if queue.len() > 1 { queue.pop_front() } else { queue.front().cloned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_value(answer: &Answer) -> String {
        match answer {
            Answer::Rows(_, rows) => match &rows[0][0] {
                Value::Text(text) => text.clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn rules_are_tried_in_order_and_the_last_answer_stays() {
        let script = Script::default()
            .on_each("MICRO", [Answer::lines(["1"]), Answer::lines(["2"])])
            .on("histogram", Answer::lines(["ms"]));
        for expected in ["1", "2", "2"] {
            assert_eq!(first_value(&script.answer("select x from v$histogram_micro")), expected);
        }
        assert_eq!(first_value(&script.answer("select x from V$HISTOGRAM")), "ms");
        assert!(matches!(script.answer("select 1 from dual"), Answer::Error(942, _)));
    }

    #[test]
    fn connections_are_met_in_order() {
        let script = Script::default().greet([Greeting::Refuse(12514), Greeting::Welcome]);
        let met: Vec<_> = (0..3).map(|_| script.greeting()).collect();
        assert_eq!(met, [Greeting::Refuse(12514), Greeting::Welcome, Greeting::Welcome]);
    }
}
