// Starts a live page: fetches the document, and again whenever the server has more.

/** The shortest time between two documents, and what share of the time fetching them may take. */
const LEAST_PAUSE = 900;
const SHARE_OF_TIME = 0.2;

/** How often the bar says how long ago the newest interval ended, milliseconds. */
const BAR_EVERY = 500;

/**
 * @param {string} token
 * @param {LiveDocument} first
 * @returns {Live}
 */
function liveOf(token, first) {
  /** @type {App | null} */
  let app = null;
  let [asked, wanted, fetchedAt, took, newest] = [false, false, performance.now(), 0, first.head.live];
  const say = (/** @type {string} */ text) => (byId("live-said").textContent = text);
  const failed = (/** @type {unknown} */ trouble) => {
    say(trouble instanceof Error ? trouble.message : String(trouble));
    return false;
  };
  const open = () => {
    if (app || live.doc.head.entries.length === 0) return;
    app = appOf(live.doc);
    const { entry, state } = app.now();
    if (state.view[1] === entry.columns && state.view[0] === 0) app.show(live.doc, { view: viewWithin([entry.columns - FIRST_COLUMNS, entry.columns], entry.columns) });
    openPage(app);
    document.documentElement.dataset.ready = "yes";
  };
  const shown = (/** @type {LiveDocument} */ next) => {
    const before = live.doc;
    live.doc = next;
    fetchedAt = performance.now();
    newest = next.head.live;
    if (!app || next.head.entries.length === 0) return open();
    const { state, entry } = app.now();
    const index = sameEntry(before, state.entry, next);
    const to = readEntry(next, index);
    app.show(next, { entry: index, ...carriedOn(state, entry, to) });
    fillToolbar(app);
    fillProvenance(app);
    document.documentElement.dataset.tick = String(next.head.live.tick);
  };
  const fetchNow = async () => {
    asked = true;
    wanted = false;
    const begun = performance.now();
    try {
      shown(await askDocument(token));
      live.lost = "";
    } catch (trouble) {
      live.lost = trouble instanceof Refused ? trouble.message : "no connection";
      wanted = true;
    }
    took = performance.now() - begun;
    showBar(live);
    setTimeout(() => {
      asked = false;
      if (wanted) live.refresh();
    }, Math.max(LEAST_PAUSE, took / SHARE_OF_TIME) - took);
  };
  /** @type {Live} */
  const live = {
    doc: first, frozen: false, lost: "",
    nowUs: () => live.doc.head.live.now_us + (performance.now() - fetchedAt) * 1e3,
    sources: () => newest.sources,
    source: () => newest.sources[app?.now().entry.head.recording ?? 0],
    arrived(head) {
      if (head.tick > newest.tick) newest = head;
    },
    behindUs() {
      if (!app) return 0;
      const { state, entry } = app.now();
      return state.view[1] < entry.columns ? (entry.columns - state.view[1]) * entry.head.width_us : 0;
    },
    refresh() {
      wanted = true;
      if (!asked && !live.frozen && !document.hidden) fetchNow();
    },
    freeze() {
      live.frozen = !live.frozen;
      announce(live.frozen ? "Frozen." : "Live again.");
      if (!live.frozen) live.refresh();
      showBar(live);
    },
    toNow() {
      if (live.frozen) live.freeze();
      if (!app) return;
      const { state, entry } = app.now();
      const width = state.view[1] - state.view[0];
      app.update({ view: viewWithin([entry.columns - width, entry.columns], entry.columns) });
      showBar(live);
    },
    async mark(text) {
      try {
        await ask(token, "marks", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ text }) });
        say(`Marked: ${text}`);
        live.refresh();
        return true;
      } catch (trouble) {
        return failed(trouble);
      }
    },
    async save() {
      try {
        const answer = await ask(token, "save", { method: "POST" });
        const name = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "")?.[1] ?? "isotherm.html";
        const link = element("a", [], { href: URL.createObjectURL(await answer.blob()), download: name });
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.getAttribute("href") ?? ""), 10_000);
        say(`Saved as ${name}.`);
      } catch (trouble) {
        failed(trouble);
      }
    },
    open,
  };
  return live;
}

async function startLive() {
  const token = takeToken();
  const live = liveOf(token, await askDocument(token));
  offerSheets();
  listenToHeadings();
  byId("static").remove();
  byId("compare").remove();
  makeBar(live);
  // What was said before this page was opened.
  const said = live.sources().flatMap((one) => one.said).sort((one, two) => one.at_us - two.at_us);
  byId("live-said").textContent = said.at(-1)?.text ?? "";
  live.open();
  showBar(live);
  setInterval(() => showBar(live), BAR_EVERY);
  document.addEventListener("visibilitychange", () => live.refresh());
  // The stream tells that there is more, in the columns of one series; the document has all of it.
  const where = () => {
    const { tick, layout } = live.doc.head.live;
    const id = live.doc.head.entries[0]?.id;
    return new URLSearchParams({ since: String(tick), ...(layout ? { layout } : {}), ...(id ? { entry: id } : {}) }).toString();
  };
  await listenToServer(token, where, {
    event: (name, data) => {
      if (name === "message") byId("live-said").textContent = JSON.parse(data).text;
      if (name === "columns") live.arrived(liveHeadOf(data));
      if (name !== "summary") live.refresh();
    },
    lost: (why) => {
      live.lost = why;
      showBar(live);
    },
    found: () => {
      live.lost = "";
      live.refresh();
    },
  });
}

startLive().catch(showTrouble);
