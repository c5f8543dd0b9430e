// From rows to the lines of a graph: amounts by bin, divided by the time that the rows are of.

/**
 * Sums of one line: what is divided, and by what; NaN in a bin that nothing is known of.
 * @param {number} bins
 * @returns {AwrSums}
 */
function emptySums(bins) {
  return { top: new Float64Array(bins), bottom: new Float64Array(bins), known: new Uint8Array(bins) };
}

/**
 * The time that a table says anything about, in seconds, of each instance and bin.
 * @param {AwrDocument} doc
 * @param {AwrTable} table
 * @param {AwrBins} bins
 * @returns {Float64Array[]}
 */
function coveredBy(doc, table, bins) {
  const covered = doc.instances.map(() => new Float64Array(bins.count));
  for (const interval of new Set(table.interval)) {
    const { start_us, end_us, instance } = doc.intervals;
    const seconds = (end_us[interval] - start_us[interval]) / 1e6;
    for (const [bin, share] of bins.pieces[interval]) covered[instance[interval]][bin] += seconds * share;
  }
  return covered;
}

/**
 * The lines of a graph.
 * @param {AwrDocument} doc
 * @param {AwrGraph} graph
 * @param {AwrTable} table
 * @param {AwrBins} bins
 * @param {AwrChoice} choice
 * @param {number} instance all instances if it is negative
 * @returns {AwrResult}
 */
function awrResult(doc, graph, table, bins, choice, instance) {
  const measure = graph.measures[choice.measure];
  const [top, bottom] = [measure.top, measure.bottom ?? []].map((names) => names.map((name) => table.columns[table.values.indexOf(name)]));
  const covered = coveredBy(doc, table, bins);
  const chosen = doc.instances.map((_, at) => instance < 0 || at === instance);
  const labels = table.members.map((_, member) => memberLabel(graph, table, member));
  /** @type {Map<string, AwrSums[]>} */
  const lines = new Map();
  for (let at = 0; at < table.member.length; at++) {
    const label = labels[table.member[at]];
    const place = doc.intervals.instance[table.interval[at]];
    if (label === null || !chosen[place] || (choice.only !== "" && label !== choice.only)) continue;
    const amount = top.reduce((sum, column) => sum + column[at], 0) * measure.scale;
    const by = bottom.reduce((sum, column) => sum + column[at], 0);
    if (!Number.isFinite(amount)) continue;
    const key = choice.split === "instance" ? `instance ${doc.instances[place]}` : label;
    const sums = lines.get(key) ?? doc.instances.map(() => emptySums(bins.count));
    lines.set(key, sums);
    const { start_us, end_us } = doc.intervals;
    const seconds = measure.level ? (end_us[table.interval[at]] - start_us[table.interval[at]]) / 1e6 : 1;
    for (const [bin, share] of bins.pieces[table.interval[at]]) {
      sums[place].top[bin] += amount * share * seconds;
      sums[place].bottom[bin] += by * share;
      sums[place].known[bin] = 1;
    }
  }
  const gaps = Uint8Array.from({ length: bins.count }, (_, bin) => Number(chosen.some((wanted, at) => wanted && !isCovered(covered[at], bins, bin))));
  const order = choice.split === "instance" ? doc.instances.map((name) => `instance ${name}`) : [...new Set(labels)];
  const series = [...lines].map(([label, sums]) => ({ ...lineOf(label, sums, measure, covered, chosen, bins), place: order.indexOf(label) }));
  const total = lineOf("all", together([...lines.values()], doc.instances.length, bins.count), measure, covered, chosen, bins);
  series.sort((one, two) => (measure.bottom ? two.weight - one.weight : two.total - one.total) || one.label.localeCompare(two.label));
  return { measure, series, total, gaps, labels: bins.labels, starts: bins.starts };
}

/**
 * Whether at least half of a bin is known; of a bin of the week, whether anything is.
 * @param {Float64Array} covered
 * @param {AwrBins} bins
 * @param {number} bin
 */
function isCovered(covered, bins, bin) {
  const length = bins.lengths[bin];
  return length > 0 ? covered[bin] * 2e6 >= length : covered[bin] > 0;
}

/**
 * @param {AwrSums[][]} lines
 * @param {number} instances
 * @param {number} bins
 */
function together(lines, instances, bins) {
  const all = Array.from({ length: instances }, () => emptySums(bins));
  for (const line of lines) {
    line.forEach((sums, place) => {
      for (let bin = 0; bin < bins; bin++) {
        all[place].top[bin] += sums.top[bin];
        all[place].bottom[bin] += sums.bottom[bin];
        all[place].known[bin] |= sums.known[bin];
      }
    });
  }
  return all;
}

/**
 * A line: of rates the sum of those of its instances, of ratios the ratio of all of them. An event
 * that a snapshot has no row of did not happen.
 * @param {string} label
 * @param {AwrSums[]} sums
 * @param {AwrMeasure} measure
 * @param {Float64Array[]} covered
 * @param {boolean[]} chosen
 * @param {AwrBins} bins
 * @returns {AwrLine}
 */
function lineOf(label, sums, measure, covered, chosen, bins) {
  const values = new Float64Array(bins.count).fill(NaN);
  for (let bin = 0; bin < bins.count; bin++) {
    let [value, top, bottom, known, lengths] = [0, 0, 0, false, 0];
    sums.forEach((of, place) => {
      if (!chosen[place] || !isCovered(covered[place], bins, bin)) return;
      known = known || !measure.level || of.known[bin] > 0;
      value += of.top[bin] / covered[place][bin];
      [top, bottom] = [top + of.top[bin], bottom + of.bottom[bin]];
      lengths += of.known[bin] ? covered[place][bin] : 0;
    });
    if (!known) continue;
    values[bin] = measure.bottom ? (bottom > 0 ? top / bottom : NaN) : measure.level ? top / lengths : value;
  }
  const totals = sums.map((of) => ({ top: sumOf(of.top), bottom: sumOf(of.bottom) }));
  const top = totals.reduce((sum, of) => sum + of.top, 0);
  const bottom = totals.reduce((sum, of) => sum + of.bottom, 0);
  const mean = measure.bottom ? top / bottom : measure.level
    ? top / sums.reduce((sum, of, place) => sum + covered[place].reduce((all, one, bin) => all + (of.known[bin] ? one : 0), 0), 0)
    : totals.reduce((sum, of, place) => sum + (of.top > 0 ? of.top / sumOf(covered[place]) : 0), 0);
  const highest = values.reduce((best, value, bin) => (value > (values[best] || 0) ? bin : best), 0);
  return { label, values, mean, total: top, weight: bottom > 0 ? top : 0, highest, place: 0 };
}

/** @param {Float64Array} values */
function sumOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * All values of a graph as CSV, in full.
 * @param {AwrResult} result
 */
function awrCsv(result) {
  const heads = ["from", ...result.series.map((line) => line.label)];
  const rows = result.labels.map((label, bin) => [label, ...result.series.map((line) => (Number.isFinite(line.values[bin]) ? String(line.values[bin]) : ""))]);
  return [heads, ...rows].map((row) => row.map((field) => csvField(field)).join(",") + "\n").join("");
}
