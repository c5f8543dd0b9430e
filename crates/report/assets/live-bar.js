// The bar above a live page: how fresh it is, and what can be done with it.

/** Sources are silent when nothing came for so many of the longest interval. */
const SILENT_INTERVALS = 3;

/**
 * How long nothing came of a source, in microseconds, if that is longer than it should be; else 0. Old data
 * that come are late, not silent: what counts is when anything arrived.
 * @param {LiveSource} source
 * @param {number} nowUs
 */
function silentUs(source, nowUs) {
  if (source.over !== null || source.arrived_us === null) return 0;
  const quiet = nowUs - source.arrived_us;
  return quiet > SILENT_INTERVALS * (source.interval_us ?? 0) + 1e6 ? quiet : 0;
}

/**
 * What there is to say of the sources that are not looked at.
 * @param {Live} live
 * @param {LiveSource} looked
 */
function othersState(live, looked) {
  const state = (/** @type {LiveSource} */ one) => {
    const silent = silentUs(one, live.nowUs());
    if (one.over === null && silent === 0) return "";
    return ` · ${one.label} ${one.over === null ? `silent for ${span(silent)}` : "ended"}`;
  };
  return live.sources().filter((one) => one !== looked).map(state).join("");
}

/**
 * What the page shows of now, most important first: of the source that is looked at.
 * @param {Live} live
 * @returns {{ text: string, kind: "live" | "paused" | "alarm" | "ended" }}
 */
function liveState(live) {
  const since = (/** @type {number | null} */ us) => (us === null ? "" : span(Math.max(live.nowUs() - us, 0)));
  const [sources, source] = [live.sources(), live.source()];
  if (live.lost !== "") return { text: `✕ ${live.lost}: trying again`, kind: "alarm" };
  const unrecorded = sources.map((one) => one.not_recording).find((why) => why);
  if (unrecorded) return { text: `✕ ${unrecorded}`, kind: "alarm" };
  // What stands still is the document.
  if (live.frozen) return { text: `❚❚ FROZEN +${since(live.doc.head.live.sources[source.recording].newest_us)} behind`, kind: "paused" };
  if (sources.every((one) => one.over !== null)) return { text: `■ ENDED${reasonsOf(sources)}`, kind: "ended" };
  const others = othersState(live, source);
  if (source.over !== null) return { text: `■ ENDED${reasonsOf([source])}${others}`, kind: "ended" };
  if (source.newest_us === null) return { text: `○ waiting for the first interval${others}`, kind: "paused" };
  const behind = live.behindUs();
  if (behind > 0) return { text: `◀ BACK ${span(behind)}${others}`, kind: "paused" };
  const silent = silentUs(source, live.nowUs());
  if (silent > 0) return { text: `○ SOURCE SILENT for ${span(silent)}${others}`, kind: "alarm" };
  return { text: `● LIVE, newest ${since(source.newest_us)} ago${others}`, kind: "live" };
}

/** @param {LiveSource[]} sources */
function reasonsOf(sources) {
  const reasons = [...new Set(sources.map((one) => one.over).filter((why) => why))];
  return reasons.length > 0 ? `: ${reasons.join("; ")}` : "";
}

/**
 * The bar, with what its buttons do.
 * @param {Live} live
 */
function makeBar(live) {
  const state = element("strong", [], { id: "live-state" });
  const freeze = element("button", ["Freeze ", element("kbd", ["f"])], { type: "button", id: "live-freeze", "aria-pressed": "false", title: "Stand still, or go on" });
  const now = element("button", ["Now ", element("kbd", ["n"])], { type: "button", id: "live-now", title: "Back to the newest interval" });
  const save = element("button", ["Save this as a report ", element("kbd", ["s"])], { type: "button", id: "live-save", title: "One offline HTML file of all that is kept" });
  const text = element("input", [], { type: "text", id: "live-mark-text", maxlength: "500", placeholder: "what happened", "aria-label": "Text of the mark" });
  const mark = element("form", [text, element("button", ["Mark ", element("kbd", ["m"])], { type: "submit", title: "Mark this moment in all sources" })], { id: "live-mark" });
  const said = element("span", [], { id: "live-said", role: "status" });
  const bar = element("section", [state, freeze, now, mark, save, said], { id: "livebar", "aria-label": "Live" });
  freeze.addEventListener("click", () => live.freeze());
  now.addEventListener("click", () => live.toNow());
  save.addEventListener("click", () => live.save());
  mark.addEventListener("submit", (event) => {
    event.preventDefault();
    const field = /** @type {HTMLInputElement} */ (text);
    if (field.value.trim() !== "") live.mark(field.value.trim()).then((done) => {
      if (!done) return;
      field.value = "";
      field.blur();
    });
  });
  addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = /** @type {Record<string, () => void>} */ ({ f: () => live.freeze(), n: () => live.toNow(), s: () => live.save(), m: () => text.focus() })[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  byId("report").before(bar);
}

/** @param {Live} live */
function showBar(live) {
  const { text, kind } = liveState(live);
  const state = byId("live-state");
  // What has not changed is not written: twice a second that is most of it.
  if (state.textContent !== text) state.textContent = text;
  if (state.dataset.kind !== kind) state.dataset.kind = kind;
  const pressed = String(live.frozen);
  if (byId("live-freeze").getAttribute("aria-pressed") !== pressed) byId("live-freeze").setAttribute("aria-pressed", pressed);
  const hide = (/** @type {string} */ id, /** @type {boolean} */ hidden) => {
    if (byId(id).hidden !== hidden) byId(id).hidden = hidden;
  };
  hide("live-mark", !live.doc.head.live.can_mark);
  hide("live-now", !live.frozen && live.behindUs() <= 0);
}
