// The bar of a live page: how fresh is what is looked at.
import assert from "node:assert/strict";
import { test } from "node:test";
import { scripts } from "./scripts.mjs";

const { liveHeadOf, liveState } = scripts(["format.js", "live-bar.js", "live-client.js"], ["liveHeadOf", "liveState"]);

const NOW = 1_763_735_400_000_000;

/** A source of which intervals of a second come, the latest so many seconds ago. */
const source = (recording, seconds, more = {}) => ({
  recording, label: `source ${recording}`, over: null, interval_us: 1e6, newest_us: NOW - seconds * 1e6, arrived_us: NOW - seconds * 1e6, not_recording: null, said: [], ...more,
});

/** What the bar says when the first of these sources is looked at. */
function state(sources, more = {}) {
  return liveState({ doc: { head: { live: { sources } } }, frozen: false, lost: "", nowUs: () => NOW, sources: () => sources, source: () => sources[0], behindUs: () => 0, ...more });
}

test("a source that hangs is silent, also on a page that was just opened", () => {
  assert.equal(state([source(0, 1)]).text, "● LIVE, newest 1s ago");
  const hangs = state([source(0, 3_600)]);
  assert.equal(hangs.kind, "alarm");
  assert.match(hangs.text, /^○ SOURCE SILENT for 1h/);
  // Data of long ago that come now are late, not silent.
  assert.equal(state([source(0, 1, { newest_us: 1e15 })]).kind, "live");
});

test("of several sources the one that is looked at counts, and the others are told", () => {
  const [dead, lively, ended] = [source(0, 60), source(1, 1), source(1, 1, { over: "the connection was closed" })];
  assert.equal(state([dead, lively]).kind, "alarm");
  const others = state([lively, { ...dead, recording: 1, label: "oracle://db1" }]);
  assert.equal(others.kind, "live");
  assert.match(others.text, /^● LIVE, newest 1s ago · oracle:\/\/db1 silent for /);
  assert.equal(state([lively, ended]).text, "● LIVE, newest 1s ago · source 1 ended");
  assert.equal(state([ended, lively]).text, "■ ENDED: the connection was closed");
  assert.equal(state([ended]).kind, "ended");
});

test("that nothing is recorded is told before all else", () => {
  const full = source(1, 1, { not_recording: "NOT RECORDING: the disk is full" });
  assert.deepEqual({ ...state([source(0, 1), full]) }, { text: "✕ NOT RECORDING: the disk is full", kind: "alarm" });
});

test("while it stands still the page tells how old its document is", () => {
  const old = { doc: { head: { live: { sources: [source(0, 10)] } } }, frozen: true };
  assert.match(state([source(0, 1)], old).text, /^❚❚ FROZEN \+10s behind$/);
});

test("the head of an event with columns is read without its body", () => {
  const head = Buffer.from(JSON.stringify({ format: 1, live: { tick: 7, label: "µ" } }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const data = Buffer.concat([length, head, Buffer.from([1, 2, 3, 255])]).toString("base64");
  assert.equal(liveHeadOf(data).tick, 7);
});
