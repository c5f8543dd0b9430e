// Beside the picture: the frame at the cursor, what each function costs, where it all comes from.

const FLAME_LISTED = 60;

/** @param {FlameApp} app */
function fillFrame(app) {
  const { tree, cursor } = app;
  byId("frame-name").textContent = plainName(nameOfNode(app, cursor));
  const [total, all] = [tree.total[cursor], tree.total[0]];
  const share = (/** @type {number} */ part, /** @type {number} */ of) => (of > 0 ? percent(part / of) : "-");
  /** @type {[string, string][]} */
  const rows = [
    ["total", flameAmount(app, total)],
    ["self", flameAmount(app, tree.own[cursor])],
    ["share", share(total, all)],
  ];
  if (cursor !== 0) rows.push(["of its caller", share(total, tree.total[tree.parent[cursor]])]);
  if (app.zoom !== 0) rows.push(["of the zoom", share(total, tree.total[app.zoom])]);
  if (tree.before) {
    const points = 100 * flameChange(app, cursor);
    rows.push(["in A", `${flameAmount(app, tree.before[cursor])}, ${share(tree.before[cursor], tree.before[0])} of A`]);
    rows.push(["change of share", `${points > 0 ? "+" : ""}${points.toFixed(2)} points`]);
  }
  if (nameOfNode(app, cursor).endsWith("_[k]")) rows.push(["part of", "the operating system's kernel"]);
  byId("frame-numbers").replaceChildren(...rows.flatMap(([name, value]) => [element("dt", [name]), element("dd", [value])]));
  const stack = [];
  for (let at = cursor; at !== 0; at = tree.parent[at]) stack.push(element("li", [plainName(nameOfNode(app, at))]));
  byId("frame-stack").querySelector("ol")?.replaceChildren(...stack.reverse());
  byId("readout").textContent = frameText(app);
}

/** @param {FlameApp} app */
function fillFunctions(app) {
  const table = byId("functions");
  const all = app.tree.total[0];
  const rows = flameFunctions(app).slice(0, FLAME_LISTED).map((row) => {
    const button = element("button", [plainName(row.name)], { type: "button", class: "value" });
    button.addEventListener("click", () => searchFor(app, plainName(row.name)));
    const cell = (/** @type {number} */ count, of = all) => element("td", [percent(of > 0 ? count / of : 0)], { title: flameAmount(app, count) });
    const points = (100 * row.change).toFixed(2);
    const before = app.tree.before;
    const cells = before
      ? [cell(row.ownBefore, before[0]), cell(row.own), element("td", [row.change > 0 ? `+${points}` : points])]
      : [cell(row.own), cell(row.total)];
    return element("tr", [element("th", [button], { scope: "row" }), ...cells]);
  });
  byId("functions-order").textContent = app.tree.before ? "self: largest change first, in points" : "largest self first";
  const heads = (app.tree.before ? ["frame", "self in A", "self in B", "change"] : ["frame", "self", "total"]).map((text) => element("th", [text], { scope: "col" }));
  table.querySelector("thead")?.replaceChildren(element("tr", heads));
  table.querySelector("tbody")?.replaceChildren(...rows);
}

/** @param {FlameApp} app */
function fillFlameLegend(app) {
  /** @type {[string, string][]} */
  const entries = app.tree.before
    ? [["hsl(24 95% 58%)", "larger share in B"], ["hsl(212 80% 64%)", "smaller share in B"], ["hsl(215 6% 80%)", "alike"]]
    : [["hsl(32 88% 68%)", "program"], ["hsl(208 55% 72%)", "operating system's kernel"]];
  const isKernelSeen = app.doc.names.some((name) => name.endsWith("_[k]"));
  const shown = app.tree.before || isKernelSeen ? entries : [];
  byId("legend").replaceChildren(...shown.map(([colour, text]) => {
    const mark = element("i", []);
    mark.style.setProperty("background", colour);
    return element("li", [mark, text]);
  }));
}

/** @param {FlameApp} app */
function fillFlameOrigin(app) {
  const { doc } = app;
  byId("title").textContent = doc.title;
  byId("subtitle").textContent = doc.facts;
  byId("notes").replaceChildren(...doc.notes.map((note) => element("li", [note])));
  byId("made").replaceChildren(`${doc.made} `, element("code", [doc.command]));
  for (const input of doc.inputs) {
    const rows = Object.entries({
      "is": input.format,
      "event": input.event,
      "records": grouped(input.records),
      "not read": input.rejected > 0 ? [grouped(input.rejected), ...input.rejections].join("; ") : null,
      "lost": input.lost > 0 ? grouped(input.lost) : null,
    }).flatMap(([name, value]) => (value === null ? [] : [element("div", [element("dt", [name]), element("dd", [value])])]));
    const part = element("div", [element("h3", [input.name]), element("dl", rows)], { class: "provenance" });
    byId("provenance").append(part);
  }
}
