//! What each record of a trace adds to a profile.

use super::super::add_name;
use super::super::between::CLIENT;
use super::super::calls::CallCosts;
use super::super::findings::FindingKind;
use super::super::groups::Waited;
use super::super::nesting::{LOB_DEPTH, Span};
use super::super::plans::OpenPlan;
use super::super::statement::StatementId;
use super::super::time_tree::Step;
use super::{MOST_NUMBERS, Profiler};
use crate::trace::head::names_process;
use crate::trace::session::SESSION;
use crate::trace::{
    BindLine, Call, CallKind, Cursor, Damage, LobCall, Notice, ParseError, Parsing, Stat, Visitor,
    Wait, Wants,
};

impl Visitor for Profiler {
    const WANTS: Wants = Wants::ALL;

    fn at_line(&mut self, line: u64) {
        self.line = line;
    }

    fn wait(&mut self, wait: &Wait<'_>) {
        let ns = self.ns(wait.ela);
        let slack = self.slack();
        self.profile.inputs.waits += 1;
        self.clockless += u64::from(wait.tim.is_none());
        self.zero += u64::from(wait.ela == 0);
        let (id, event) = self.profile.events.record(wait.event, ns);
        let (idle, read, network) = (event.idle, event.read, event.network);
        if let Some(kind) = read {
            self.profile.reads.record(kind, wait.parameters, ns);
        }
        let lane = &mut self.lanes[self.lane];
        let middle = lane.clock.pass(wait.tim, wait.ela, slack);
        let slot = match lane.statement(wait.cursor, network) {
            Some(slot) => slot,
            None if wait.cursor == 0 => self.without(StatementId::None, false),
            None => {
                lane.waits_early(wait.cursor, id, ns);
                self.without(StatementId::Missing, false)
            }
        };
        self.profile.statements.at(slot).waited(id, ns);
        let is_client = idle && wait.event == CLIENT.as_bytes();
        if is_client && self.lanes[self.lane].waits_for_client(middle, ns) {
            self.settle_between();
        }
        let (busy_ns, idle_ns) = if idle { (0, ns) } else { (ns, 0) };
        self.lanes[self.lane].nesting.wait(middle, (slot, id), busy_ns, idle_ns);
        if let Some(grouper) =
            self.grouper.as_mut().filter(|grouper| !idle || grouper.wants_idle(wait.event))
        {
            grouper.line = self.line;
            grouper.wait(self.lane, wait, Waited { middle, slot, event: id, ns });
        }
    }

    fn call(&mut self, call: &Call) {
        let costs = CallCosts::of(call, self.tick_ns);
        let slack = self.slack();
        self.profile.inputs.calls += 1;
        let slot = self.statement_called(call);
        self.begin_call(call.cursor);
        let lane = &mut self.lanes[self.lane];
        lane.called(call.cursor, call.close_type == Some(0), call.plan_hash);
        let middle = lane.clock.pass(call.tim, call.elapsed, slack);
        let start = call.tim.map(|tim| tim.saturating_sub(call.elapsed));
        let (calls, depth) = match call.depth {
            0 => (&mut self.profile.user_calls, 0),
            depth => (&mut self.profile.recursive_calls, depth.min(LOB_DEPTH - 1)),
        };
        calls.add_one(call.kind, &costs);
        self.profile.statements.at(slot).called(call.kind, &costs, depth);
        self.place((slot, Step::Call(call.kind)), &costs, Span { start, middle, depth });
    }

    fn lob(&mut self, call: &LobCall<'_>) {
        let costs = CallCosts::of_lob(call, self.tick_ns);
        let slack = self.slack();
        self.profile.inputs.calls += 1;
        let kind = String::from_utf8_lossy(call.kind);
        let known = &mut self.profile.lob_calls;
        if known.len() < MOST_NUMBERS || known.contains_key(&*kind) {
            known.entry(kind.into_owned()).or_default().add(&costs);
        }
        let middle = self.lanes[self.lane].clock.pass(call.tim, call.elapsed, slack);
        let start = call.tim.map(|tim| tim.saturating_sub(call.elapsed));
        let slot = self.without(StatementId::Lob, false);
        self.begin_call(0);
        self.profile.statements.at(slot).called(CallKind::Exec, &costs, 0);
        self.place((slot, Step::Lob), &costs, Span { start, middle, depth: LOB_DEPTH });
    }

    fn parsing(&mut self, parsing: &Parsing<'_>) {
        self.tidy();
        let lane = &mut self.lanes[self.lane];
        let slot = self.profile.statements.parsed(parsing, lane.module.as_ref());
        let early = lane.parsed(parsing.cursor, slot);
        if !early.is_empty() {
            let missing = self.without(StatementId::Missing, false);
            if let Some(grouper) = &mut self.grouper {
                grouper.parsed(self.lane, parsing.cursor, missing, slot);
            }
            for wait in early {
                self.profile.statements.at(missing).unwaited(wait.event, wait.ns);
                self.profile.statements.at(slot).waited(wait.event, wait.ns);
            }
        }
    }

    fn parse_error(&mut self, error: &ParseError<'_>) {
        if let Some(number) = error.error {
            self.count_error(number);
        }
    }

    fn error(&mut self, _cursor: Cursor, error: u32, _tim: Option<u64>) {
        self.count_error(error);
    }

    fn stat(&mut self, stat: &Stat<'_>) {
        let lane = &mut self.lanes[self.lane];
        if let Some(open) = lane.plan.take_if(|open| !open.goes_on(stat)) {
            self.profile.plans.close(open, &self.profile.statements);
        }
        if lane.plan.is_none() {
            let Some(slot) = lane.statement(stat.cursor, true) else { return };
            let key = self.profile.statements.key_at(slot);
            lane.plan = Some(OpenPlan::new(stat.cursor, key, lane.plan_hash(stat.cursor)));
        }
        if let Some(open) = &mut lane.plan {
            open.push(stat);
        }
    }

    fn binds(&mut self, cursor: Cursor) {
        let slot = self.lanes[self.lane].statement(cursor, true);
        let key = slot.map(|slot| self.profile.statements.key_at(slot));
        self.profile.binds.begin(key);
    }

    fn bind(&mut self, line: BindLine<'_>) {
        self.profile.binds.line(line);
    }

    fn transaction_end(&mut self, rolled_back: bool, read_only: bool, _tim: Option<u64>) {
        let ends = &mut self.profile.transactions;
        *match (read_only, rolled_back) {
            (true, _) => &mut ends.read_only,
            (false, true) => &mut ends.rollbacks,
            (false, false) => &mut ends.commits,
        } += 1;
    }

    fn stamp(&mut self, stamp: &[u8]) {
        if let Some(grouper) = &mut self.grouper {
            grouper.session.stamped(stamp);
        }
    }

    fn label(&mut self, label: &[u8], value: &[u8]) {
        if let Some(grouper) = &mut self.grouper {
            grouper.session.labelled(label, value);
        }
        let value_text = String::from_utf8_lossy(value);
        match label {
            b"MODULE NAME" => {
                let lane = &mut self.lanes[self.lane];
                if lane.module.as_deref() != Some(&*value_text) {
                    lane.module = (!value.is_empty()).then(|| value_text.into());
                }
            }
            SESSION => {
                add_name(&mut self.profile.inputs.sessions, &value_text);
                let writer = self.writer.session(value);
                self.switch(writer);
            }
            _ => {}
        }
    }

    fn header(&mut self, key: &[u8], value: &[u8]) {
        self.header = true;
        if let Some(grouper) = &mut self.grouper {
            grouper.session.header(key, value);
        }
        match key {
            b"Instance name:" => {
                let value = String::from_utf8_lossy(value);
                add_name(&mut self.profile.inputs.instances, &value);
            }
            b"banner" => self.banner(value),
            b"Version" => self.release = Some(String::from_utf8_lossy(value).into()),
            _ if names_process(key) => {
                let writer = self.writer.process(value);
                self.switch(writer);
            }
            _ => {}
        }
    }

    fn notice(&mut self, notice: Notice<'_>) {
        let kind = match notice {
            Notice::ContinuedFrom(_) => FindingKind::Continued,
            Notice::Recreated => FindingKind::Recreated,
            Notice::SizeLimited => FindingKind::SizeLimited,
        };
        self.profile.findings.add(kind, 1, &self.file);
    }

    fn damage(&mut self, damage: Damage) {
        self.profile.findings.add_damage(damage, &self.file);
    }
}
