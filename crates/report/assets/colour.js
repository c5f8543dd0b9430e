// From values to the few colours a map is drawn in.

/** Ramps for a dark and a light page: the trace, then eight steps. @type {Record<string, Record<string, string[]>>} */
const RAMPS = {
  dark: {
    ice: ["1f3a5c", "27548f", "2a6cb0", "2f86ca", "3fa2de", "60bcec", "8dd3f5", "bfe8fb", "effaff"],
    heat: ["4d2a20", "85291a", "a93a14", "ca5010", "e56c12", "f58b22", "fcab44", "fdcd78", "fff1c4"],
    grey: ["2c2c2c", "474747", "5e5e5e", "767676", "8f8f8f", "a8a8a8", "c2c2c2", "dddddd", "f8f8f8"],
  },
  light: {
    ice: ["d6e6f5", "a9cdec", "86b6e0", "649dd2", "4583c1", "2c69ac", "1a5090", "0e376f", "07214c"],
    heat: ["fde4cb", "f7b77c", "f29a55", "e67d34", "d2611c", "b5490f", "923409", "6c2206", "471304"],
    grey: ["ececec", "cfcfcf", "b4b4b4", "999999", "7f7f7f", "656565", "4b4b4b", "323232", "1a1a1a"],
  },
};

/** Perceptual palettes from low to high; the ends that a background would swallow are cut. @type {Record<string, string[]>} */
const CONTINUOUS = {
  viridis: ["440154", "482878", "3e4a89", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725"],
  cividis: ["00224e", "123570", "3b496c", "575d6d", "707173", "8a8678", "a59c74", "c3b369", "e1cc55", "fee838"],
  magma: ["000004", "180f3d", "440f76", "721f81", "9e2f7f", "cd4071", "f1605d", "fd9668", "feca8d", "fcfdbf"],
};

/** What the page itself is drawn in, for canvases. @type {Record<string, Ink>} */
const INKS = {
  dark: { page: "#0f1216", ink: "#e9eef4", muted: "#9aa7b4", line: "#39424d", hatch: "#4b5561", accent: "#8dd3f5", warm: "#f58b22" },
  light: { page: "#ffffff", ink: "#16191d", muted: "#57606a", line: "#d3d9e0", hatch: "#b9c2cc", accent: "#2c69ac", warm: "#b5490f" },
};

const STEPS = 8;

/**
 * @param {string} hex
 * @returns {[number, number, number]}
 */
function channels(hex) {
  const value = parseInt(hex, 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/**
 * The colour of a palette at a share from 0 to 1.
 * @param {string[]} stops
 * @param {number} share
 */
function blend(stops, share) {
  const place = share * (stops.length - 1);
  const at = Math.min(Math.floor(place), stops.length - 2);
  const [from, to] = [channels(stops[at]), channels(stops[at + 1])];
  const mixed = from.map((value, i) => Math.round(value + (to[i] - value) * (place - at)));
  return mixed.map((value) => value.toString(16).padStart(2, "0")).join("");
}

/**
 * The trace and the eight steps, as hex without #.
 * @param {string} palette
 * @param {boolean} dark
 * @param {MapKind} kind
 * @returns {string[]}
 */
function rampOf(palette, dark, kind) {
  const theme = dark ? "dark" : "light";
  const stops = CONTINUOUS[palette];
  if (stops) {
    const places = Array.from({ length: STEPS + 1 }, (_, i) => 0.12 + (0.88 * i) / STEPS);
    return places.map((place) => blend(stops, dark ? place : 1 - place));
  }
  if (palette === "grey") return RAMPS[theme].grey;
  return RAMPS[theme][kind === "frequency" ? "ice" : "heat"];
}

/**
 * A colour as a pixel of image data has it.
 * @param {string} hex
 */
function pixelOf(hex) {
  const [red, green, blue] = channels(hex.replace("#", ""));
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** The share of the ramp whose ratio to the maximum is the result. @type {Record<string, (share: number) => number>} */
const LOWER = {
  sqrt: (share) => share * share,
  "power 0.75": (share) => share ** (4 / 3),
  linear: (share) => share,
  log: (share) => 10 ** ((share - 1) * 3),
};

/**
 * @param {string} scale as chosen; "auto" is the map's own
 * @param {MapKind} kind
 */
function scaleOf(scale, kind) {
  if (scale !== "auto") return scale;
  return kind === "frequency" ? "sqrt" : "power 0.75";
}

/**
 * What the colours stand for: the value each step begins at.
 * @param {string} scale
 * @param {number} trace the share of the maximum below which a value is only a trace
 * @param {Float64Array} ranked the values of all cells that are not zero, ascending
 * @returns {Legend}
 */
function legendOf(scale, trace, ranked) {
  const at = (/** @type {number} */ share) => ranked[Math.min(Math.floor(ranked.length * share), ranked.length - 1)] ?? 0;
  const max = at(0.999);
  const below = trace * max;
  let first = 0;
  while (first < ranked.length && ranked[first] < below) first++;
  const above = ranked.subarray(first);
  /** @type {number[]} */
  const steps = [];
  for (let step = 0; step < STEPS; step++) {
    const share = step / STEPS;
    const ranks = above[Math.min(Math.floor(above.length * share), above.length - 1)] ?? 0;
    const from = scale === "rank" ? ranks : max * LOWER[scale](share);
    steps.push(Math.max(step === 0 ? below : from, steps[step - 1] ?? 0));
  }
  return { scale, steps, max, highest: ranked[ranked.length - 1] ?? 0 };
}

/**
 * 0 for nothing, 1 for a trace, then the steps from 2.
 * @param {Legend} legend
 * @param {number} value
 */
function shadeOf(legend, value) {
  if (!(value > 0)) return 0;
  let shade = 1;
  for (const from of legend.steps) {
    if (value < from) break;
    shade++;
  }
  return shade;
}
