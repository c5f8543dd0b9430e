// What of the view stays when there is more to show: the same time, the same latencies.

/** The columns that are shown at first, if there are more. */
const FIRST_COLUMNS = 300;

/**
 * The row that holds a latency; the highest if none does.
 * @param {Entry} entry
 * @param {number} ns
 */
function rowAt(entry, ns) {
  const bounds = entry.head.bounds_ns;
  for (let row = 0; row < entry.rows; row++) {
    const hi = bounds[row + 1];
    if (hi === null || ns < hi) return row;
  }
  return entry.rows - 1;
}

/**
 * A state of one document in the next one. A view that reaches the end follows it.
 * @param {State} state
 * @param {Entry} from
 * @param {Entry} to
 * @returns {Partial<State>}
 */
function carriedOn(state, from, to) {
  const place = (/** @type {number} */ column) => Math.round((startOf(from, column) - to.head.t0_us) / to.head.width_us);
  const within = (/** @type {number} */ column) => Math.min(Math.max(place(column), 0), to.columns);
  const row = (/** @type {number} */ one) => (one >= from.rows ? to.rows : rowAt(to, from.head.bounds_ns[one] ?? 0));
  const follows = state.view[1] >= from.columns;
  const whole = follows && state.view[0] === 0 && from.columns < FIRST_COLUMNS;
  const width = place(state.view[1]) - place(state.view[0]);
  const start = follows ? to.columns - width : place(state.view[0]);
  const view = whole ? viewWithin([Math.max(to.columns - FIRST_COLUMNS, 0), to.columns], to.columns) : viewWithin([start, start + width], to.columns);
  /** @type {Partial<State>} */
  const carried = { view, cursor: null, selection: null, filter: null };
  if (state.selection) {
    const one = state.selection;
    const selection = { from: within(one.from), to: within(one.to), low: row(one.low), high: Math.max(row(one.high), row(one.low) + 1) };
    // What was selected may be so long ago that it is no longer kept.
    if (selection.from < selection.to) carried.selection = selection;
  }
  const cursor = state.cursor;
  if (cursor && place(cursor.column) >= 0 && place(cursor.column) < to.columns) carried.cursor = { column: place(cursor.column), row: Math.min(row(cursor.row), to.rows - 1) };
  const { filter } = state;
  if (filter && to.facets.some((facet) => facet.key === filter.key && facet.values.includes(filter.value))) carried.filter = filter;
  return carried;
}

/**
 * The place of an entry in the next document; the first if it is not there any more.
 * @param {LiveDocument} before
 * @param {number} index
 * @param {LiveDocument} after
 */
function sameEntry(before, index, after) {
  const id = before.head.entries[index]?.id;
  return Math.max(after.head.entries.findIndex((head) => head.id === id), 0);
}
