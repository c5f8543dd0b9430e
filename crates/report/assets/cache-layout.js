// Where the buffers of a cache are drawn: places from 0 to 1, the same for the same buffers.

/** Lists of a buffer's header, by their number. */
const CACHE_LISTS = ["free", "hot half of the LRU list", "cold half of the LRU list", "write list"];
/** How far from the middle of its column what belongs to another header stands, and the other. */
const CACHE_ASIDE = [0.25, -0.2];

/**
 * The headers that are shown, in their order: by chain and place, by rank, or by number.
 * @param {CacheMoment} moment
 * @param {string} focus
 * @returns {number[]}
 */
function cacheOrder(moment, focus) {
  const all = moment.block.map((_, at) => at);
  const on = (/** @type {number[]} */ lists) => all.filter((at) => lists.includes(moment.list[at]));
  const byRank = (/** @type {number} */ one, /** @type {number} */ other) => moment.rank[one] - moment.rank[other];
  if (focus === "headers") return all;
  if (focus === "lru") return on([1, 2]).sort(byRank);
  if (focus === "write") return on([3]).sort(byRank);
  const linked = all.filter((at) => moment.chain[at] >= 0);
  return linked.sort((one, other) => moment.chain[one] - moment.chain[other] || moment.place[one] - moment.place[other]);
}

/**
 * The length of the chain of each header; 0 of a free one.
 * @param {CacheMoment} moment
 * @param {number} chains
 * @returns {number[]}
 */
function cacheLengths(moment, chains) {
  const lengths = new Array(chains).fill(0);
  for (const chain of moment.chain) if (chain >= 0) lengths[chain]++;
  return moment.chain.map((chain) => (chain >= 0 ? lengths[chain] : 0));
}

/**
 * Chains side by side, those of one latch together.
 * @param {CachePicture} picture
 * @returns {number[]} the place of each chain, from 0
 */
function cacheChainPlaces(picture) {
  const chains = picture.latches.map((_, chain) => chain);
  chains.sort((one, other) => picture.latches[one] - picture.latches[other] || one - other);
  const places = new Array(chains.length);
  chains.forEach((chain, place) => (places[chain] = place));
  return places;
}

/**
 * A place along and across, from 0 to 1, turned into x and y.
 * @param {string} orientation
 * @param {number} along
 * @param {number} across
 * @returns {[number, number]}
 */
function cacheTurned(orientation, along, across) {
  if (orientation === "up") return [across, 1 - along];
  if (orientation === "right") return [along, across];
  if (orientation === "left") return [1 - along, across];
  if (orientation === "circle") {
    const [angle, radius] = [2 * Math.PI * across - Math.PI / 2, 0.12 + 0.38 * along];
    return [0.5 + radius * Math.cos(angle), 0.5 + radius * Math.sin(angle)];
  }
  return [across, along];
}

/**
 * Where each header is, NaN if it is not shown, and what is joined.
 * @param {CachePicture} picture
 * @param {CacheMoment} moment
 * @param {{focus: string, orientation: string}} view
 * @returns {CacheLayout}
 */
function cacheLayout(picture, moment, view) {
  const count = moment.block.length;
  const [x, y] = [new Float64Array(count).fill(NaN), new Float64Array(count).fill(NaN)];
  const order = cacheOrder(moment, view.focus);
  const onChains = view.focus === "all" || view.focus === "chains";
  const put = onChains ? cacheOnChains(picture, moment) : cacheInRows(order);
  for (const at of order) [x[at], y[at]] = cacheTurned(view.orientation, ...put(at));
  return { x, y, order, links: cacheLinks(moment, order, view.focus) };
}

/**
 * By the longest chain of any moment: a header that stays where it is does not move from one moment to the next.
 * @param {CachePicture} picture
 * @param {CacheMoment} moment
 * @returns {(at: number) => [number, number]}
 */
function cacheOnChains(picture, moment) {
  const places = cacheChainPlaces(picture);
  const longest = picture.moments.reduce((most, one) => one.place.reduce((far, place) => Math.max(far, place), most), 0) + 1;
  const aside = (/** @type {number} */ at) => (moment.parent ? CACHE_ASIDE[moment.parent[at] >= 0 ? 0 : 1] : 0);
  return (at) => [(moment.place[at] + 0.5) / longest, (places[moment.chain[at]] + 0.5 + aside(at)) / picture.chains];
}

/**
 * Rows that are read forth and back, so that neighbours in the order are neighbours in the picture.
 * @param {number[]} order
 * @returns {(at: number) => [number, number]}
 */
function cacheInRows(order) {
  const columns = Math.max(1, Math.ceil(Math.sqrt(order.length * 2)));
  const rows = Math.max(1, Math.ceil(order.length / columns));
  const number = new Map(order.map((at, index) => [at, index]));
  return (at) => {
    const index = number.get(at) ?? 0;
    const row = Math.floor(index / columns);
    const column = row % 2 === 0 ? index % columns : columns - 1 - (index % columns);
    return [(row + 0.5) / rows, (column + 0.5) / columns];
  };
}

/**
 * Pairs of headers that are linked, with the number of their list; 0 is a chain.
 * @param {CacheMoment} moment
 * @param {number[]} order
 * @param {string} focus
 * @returns {[number, number, number][]}
 */
function cacheLinks(moment, order, focus) {
  /** @type {[number, number, number][]} */
  const links = [];
  const joined = (/** @type {number[]} */ headers, /** @type {(one: number, other: number) => number} */ kind) => {
    for (let at = 1; at < headers.length; at++) {
      const found = kind(headers[at - 1], headers[at]);
      if (found >= 0) links.push([headers[at - 1], headers[at], found]);
    }
  };
  const { parent } = moment;
  const heads = parent ? order.filter((at) => parent[at] < 0) : order;
  if (focus === "all" || focus === "chains") {
    joined(heads, (one, other) => (moment.chain[one] === moment.chain[other] ? 0 : -1));
    if (parent) for (const at of order) if (parent[at] >= 0) links.push([parent[at], at, 0]);
  }
  if (focus === "all" || focus === "lru") joined(cacheOrder(moment, "lru"), (_, other) => moment.list[other]);
  if (focus === "all" || focus === "write") joined(cacheOrder(moment, "write"), () => 3);
  return links;
}

/**
 * What a header says.
 * @param {CachePicture} picture
 * @param {CacheMoment} moment
 * @param {number} at
 */
function cacheHeaderText(picture, moment, at) {
  if (moment.text) return moment.text[at];
  if (moment.block[at] < 0) return `Buffer ${at + 1}: free`;
  const version = moment.state[at] & 2 ? "an older version (clone) of block" : "block";
  const [chain, list] = [moment.chain[at], CACHE_LISTS[moment.list[at]]];
  const rank = moment.rank[at] >= 0 ? `, place ${moment.rank[at] + 1}` : "";
  const touched = moment.touches[at] === 1 ? "touched once" : `touched ${moment.touches[at]} times`;
  const dirty = moment.state[at] & 1 ? " · dirty" : "";
  return `Buffer ${at + 1}: ${version} ${moment.block[at]} · chain ${chain + 1}, place ${moment.place[at] + 1}, latch ${picture.latches[chain] + 1} · ${list}${rank} · ${touched}${dirty}`;
}
