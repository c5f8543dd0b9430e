// The tree of a flame graph, and what is shown of it.

/**
 * A node for each frame; node 0 is everything.
 * @param {FlameDocument} doc
 * @returns {FlameTree}
 */
function flameTree(doc) {
  const size = doc.name.length + 1;
  const parent = new Int32Array(size);
  const depth = new Int32Array(size);
  const open = [0];
  for (let at = 1; at < size; at++) {
    depth[at] = doc.depth[at - 1];
    parent[at] = open[depth[at] - 1];
    open[depth[at]] = at;
  }
  const own = Float64Array.from([0, ...doc.own]);
  const ownBefore = doc.before ? Float64Array.from([0, ...doc.before]) : null;
  const before = ownBefore ? flameTotals(parent, ownBefore) : null;
  const end = new Int32Array(size).fill(0);
  for (let at = size - 1; at >= 0; at--) {
    end[at] = Math.max(end[at], at + 1);
    if (at > 0) end[parent[at]] = Math.max(end[parent[at]], end[at]);
  }
  return { size, parent, depth, end, own, total: flameTotals(parent, own), ownBefore, before, left: new Float64Array(size) };
}

/**
 * What passes through each node, from what ends in each.
 * @param {Int32Array} parent
 * @param {Float64Array} own
 */
function flameTotals(parent, own) {
  const total = own.slice();
  for (let at = total.length - 1; at > 0; at--) total[parent[at]] += total[at];
  return total;
}

/**
 * Gives the tree other counts: those of a part of the time.
 * @param {FlameTree} tree
 * @param {Float64Array} own
 */
function recountFlame(tree, own) {
  tree.own = own;
  tree.total = flameTotals(tree.parent, own);
}

/**
 * Where each node begins, in counts from the left.
 * @param {FlameTree} tree
 */
function placeFlame(tree) {
  const next = new Float64Array(tree.size);
  for (let at = 1; at < tree.size; at++) {
    const parent = tree.parent[at];
    tree.left[at] = tree.left[parent] + next[parent];
    next[parent] += tree.total[at];
  }
}

/**
 * A frame's name without the mark of the kernel.
 * @param {string} name
 */
function plainName(name) {
  return name.replace(/_\[[ki]\]$/, "");
}

/**
 * @param {FlameApp} app
 * @param {number} at
 */
function nameOfNode(app, at) {
  return at === 0 ? "all" : app.doc.names[app.doc.name[at - 1]];
}

/**
 * A count with its unit.
 * @param {FlameApp} app
 * @param {number} count
 */
function flameAmount(app, count) {
  return app.doc.unit === "ns" ? timeWaited(count) : `${grouped(count)} ${count === 1 ? app.doc.unit.replace(/s$/, "") : app.doc.unit}`;
}

/**
 * By how much a node's share of everything grew from A to B.
 * @param {FlameApp} app
 * @param {number} at
 */
function flameChange(app, at) {
  const { before, total } = app.tree;
  if (!before || before[0] === 0 || total[0] === 0) return 0;
  return total[at] / total[0] - before[at] / before[0];
}

/**
 * What the text in the search field finds; null if nothing is searched.
 * @param {string} text
 * @returns {((name: string) => boolean) | null}
 */
function flameMatcher(text) {
  if (text === "") return null;
  const expression = /^\/(.+)\/(i?)$/.exec(text);
  if (expression) {
    const pattern = new RegExp(expression[1], expression[2]);
    return (name) => pattern.test(name);
  }
  const wanted = text.toLowerCase();
  return (name) => name.toLowerCase().includes(wanted);
}

/**
 * The nodes whose names match, and what passes through any of them: each stack once.
 * @param {FlameApp} app
 * @param {(name: string) => boolean} matches
 */
function flameMatches(app, matches) {
  const named = app.doc.names.map(matches);
  const found = new Uint8Array(app.tree.size);
  let sum = 0;
  for (let at = 1, covered = 0; at < app.tree.size; at++) {
    if (!named[app.doc.name[at - 1]]) continue;
    found[at] = 1;
    if (at < covered) continue;
    sum += app.tree.total[at];
    covered = app.tree.end[at];
  }
  return { found, sum };
}

/**
 * What each name costs: most of its own first, of a comparison what its share changed by most first. A
 * function that calls itself counts once.
 * @param {FlameApp} app
 * @returns {FlameCost[]}
 */
function flameFunctions(app) {
  const { tree, doc } = app;
  const own = new Float64Array(doc.names.length);
  const ownBefore = new Float64Array(doc.names.length);
  const total = new Float64Array(doc.names.length);
  const totalBefore = new Float64Array(doc.names.length);
  const inside = new Int32Array(doc.names.length).fill(-1);
  for (let at = 1; at < tree.size; at++) {
    const name = doc.name[at - 1];
    own[name] += tree.own[at];
    if (tree.ownBefore) ownBefore[name] += tree.ownBefore[at];
    if (at >= inside[name]) {
      total[name] += tree.total[at];
      if (tree.before) totalBefore[name] += tree.before[at];
      inside[name] = tree.end[at];
    }
  }
  const share = (/** @type {number} */ part, /** @type {number} */ all) => (all > 0 ? part / all : 0);
  const change = (/** @type {number} */ index) => (tree.before ? share(own[index], tree.total[0]) - share(ownBefore[index], tree.before[0]) : 0);
  const rows = doc.names.map((name, index) => ({ name, own: own[index], ownBefore: ownBefore[index], total: total[index], totalBefore: totalBefore[index], change: change(index) }));
  const first = (/** @type {FlameCost} */ row) => (tree.before ? Math.abs(row.change) : row.own);
  return rows.filter((row) => row.total > 0 || row.totalBefore > 0).sort((a, b) => first(b) - first(a) || b.total - a.total);
}
