// Numbers, lengths of time and moments, with the digits that every view of isotherm prints.

/**
 * Decimals as Rust prints them: a tie goes to the even digit.
 * @param {number} value
 * @param {number} decimals
 */
function fixed(value, decimals) {
  const scaled = value * 10 ** decimals;
  const floor = Math.floor(scaled);
  const tie = scaled - floor === 0.5 && Number.isInteger(value * 2 ** (decimals + 1));
  if (tie && floor % 2 === 0) return (floor / 10 ** decimals).toFixed(decimals);
  return value.toFixed(decimals);
}

/** @param {string} text */
function withoutZeros(text) {
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

/**
 * Three significant digits and a suffix for thousands or, below one thousandth, for parts of them:
 * 36.0µ, 0.035, 4.96k, 1.32M.
 * @param {number} value
 */
function quantity(value) {
  const magnitude = Math.abs(value);
  if (magnitude > 0 && magnitude < 0.000_995) return small(value);
  if (magnitude < 999.5) return threeDigits(value);
  if (magnitude < 999_500) return threeDigits(value / 1e3) + "k";
  if (magnitude < 999_500_000) return threeDigits(value / 1e6) + "M";
  if (magnitude < 999_500_000_000) return threeDigits(value / 1e9) + "G";
  return threeDigits(value / 1e12) + "T";
}

/**
 * Events per second, with all its zeros where it is small: 0.000139, 0.035, 4.96k.
 * @param {number} perSecond
 */
function eventRate(perSecond) {
  const magnitude = Math.abs(perSecond);
  if (!(magnitude > 0 && magnitude < 0.000_995)) return quantity(perSecond);
  if (magnitude < 1e-9) return "<0.000000001";
  return perSecond.toFixed(Math.min(2 - Math.floor(Math.log10(magnitude)), 12)).replace(/0+$/, "");
}

/**
 * Less than a thousandth: 36.0µ, 340n.
 * @param {number} value
 */
function small(value) {
  const magnitude = Math.abs(value);
  if (magnitude < 0.9995e-12) return value.toExponential(1);
  if (magnitude < 0.9995e-9) return threeDigits(value * 1e12) + "p";
  return magnitude < 0.9995e-6 ? threeDigits(value * 1e9) + "n" : threeDigits(value * 1e6) + "µ";
}

/** @param {number} value */
function threeDigits(value) {
  const magnitude = Math.abs(value);
  if (magnitude === 0) return "0";
  if (magnitude < 0.000_995) return value.toExponential(1);
  if (magnitude < 0.00995) return withoutZeros(fixed(value, 5));
  if (magnitude < 0.0995) return withoutZeros(fixed(value, 4));
  if (magnitude < 0.995) return withoutZeros(fixed(value, 3));
  if (magnitude < 9.995) return fixed(value, 2);
  return fixed(value, magnitude < 99.95 ? 1 : 0);
}

/**
 * A count in full, in groups of three digits: 1,430,103.
 * @param {number} count
 */
function grouped(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/**
 * Seconds waited per second; small ones as <0.001.
 * @param {number} value
 */
function seconds(value) {
  return value > 0 && value < 0.001 ? "<0.001" : quantity(value);
}

/**
 * A number with the sign of an estimate; what is less or more than something is no more exact than it says.
 * @param {string} about "≈" or nothing
 * @param {string} text
 */
function approximate(about, text) {
  return /^[<>]/.test(text) ? text : about + text;
}

/**
 * A share as cells have it (in sentences: {@link aboutShare} with ` %`): never 100% of what is not all, never 0% of what is something.
 * @param {number} share 0 to 1
 */
function percent(share) {
  const value = 100 * share;
  if (value <= 0) return "0%";
  if (value < 0.1) return "<0.1%";
  if (value < 9.95) return `${Math.round(value * 10) / 10}%`;
  if (value < 99.5) return fixed(value, 0) + "%";
  return value < 100 ? ">99%" : "100%";
}

/**
 * A share with `≈` where it is an estimate.
 * @param {number} share
 * @param {boolean} exact
 * @param {string} [unit] ` %` in a sentence
 */
function aboutShare(share, exact, unit = "%") {
  return approximate(exact ? "" : "≈", percent(share).replace("%", unit));
}

/**
 * A length of time waited with three significant digits; from a hundred seconds on in whole seconds:
 * 344 µs, 4.36 s, 1,360 s.
 * @param {number} ns
 */
function timeWaited(ns) {
  if (ns <= 0) return "0 s";
  const [scale, unit] = ns < 999.5 ? [1, "ns"] : ns < 999_500 ? [1e3, "µs"] : ns < 999_500_000 ? [1e6, "ms"] : [1e9, "s"];
  const value = ns / scale;
  return `${value < 99.95 ? threeDigits(value) : grouped(Math.round(value))} ${unit}`;
}

/**
 * A length of time with three significant digits and the largest fitting unit: 16.4ms.
 * @param {number} ns
 */
function nanos(ns) {
  const whole = Math.round(ns);
  // A mean of a few nanoseconds has its fraction.
  if (ns < 99.95 && ns !== whole) return withoutZeros(fixed(ns, ns < 9.995 ? 2 : 1)) + "ns";
  if (whole < 1_000) return `${whole}ns`;
  const [value, unit] = whole < 999_500 ? [whole / 1e3, "µs"] : whole < 999_500_000 ? [whole / 1e6, "ms"] : [whole / 1e9, "s"];
  const decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return withoutZeros(fixed(value, decimals)) + unit;
}

/**
 * A bucket as a range in one unit, its ends rounded outwards, so that what lies in the bucket lies
 * in what is printed: 16.3–32.8ms, <64µs, >1.04s.
 * @param {number} lo
 * @param {number | null} hi
 */
function range(lo, hi) {
  const [scale, unit] = unitOf(hi ?? lo);
  if (hi === null) return `>${rangeEnd(lo, scale, false)}${unit}`;
  if (lo === 0) return `<${rangeEnd(hi, scale, true)}${unit}`;
  return `${rangeEnd(lo, scale, false)}–${rangeEnd(hi, scale, true)}${unit}`;
}

/**
 * @param {number} ns
 * @returns {[number, string]}
 */
function unitOf(ns) {
  if (ns < 1_000) return [1, "ns"];
  if (ns < 1_000_000) return [1e3, "µs"];
  return ns < 1_000_000_000 ? [1e6, "ms"] : [1e9, "s"];
}

/**
 * An end of a range with three digits, rounded up or down in whole nanoseconds.
 * @param {number} ns
 * @param {number} scale nanoseconds in the unit
 * @param {boolean} up
 */
function rangeEnd(ns, scale, up) {
  const tenths = Math.floor((ns * 10) / scale);
  const decimals = tenths < 1 ? 4 : tenths < 10 ? 3 : tenths < 100 ? 2 : tenths < 1_000 ? 1 : 0;
  const step = Math.max(scale / 10 ** decimals, 1);
  const rounded = (up ? Math.ceil(ns / step) : Math.floor(ns / step)) * step;
  return withoutZeros((rounded / scale).toFixed(9));
}

/**
 * A length of time in the largest two units: 250ms, 12s, 1m30s, 3h05m, 2d03h.
 * @param {number} us
 */
function span(us) {
  if (us > 0 && us < 1e6) return nanos(us * 1e3);
  const tenths = Math.floor((us + 50_000) / 100_000);
  const secs = Math.floor(tenths / 10);
  /** @type {(big: number, bigUnit: string, small: number, smallUnit: string) => string} */
  const two = (big, bigUnit, small, smallUnit) =>
    small === 0 ? big + bigUnit : big + bigUnit + String(small).padStart(2, "0") + smallUnit;
  if (secs < 60) return tenths % 10 === 0 ? `${secs}s` : `${secs}.${tenths % 10}s`;
  if (secs < 3_600) return two(Math.floor(secs / 60), "m", secs % 60, "s");
  if (secs < 86_400) return two(Math.floor(secs / 3_600), "h", Math.floor((secs % 3_600) / 60), "m");
  return two(Math.floor(secs / 86_400), "d", Math.floor((secs % 86_400) / 3_600), "h");
}

/**
 * The moment as ISO 8601 in UTC; empty where no calendar has it.
 * @param {number} us
 */
function iso(us) {
  const date = new Date(Math.floor(us / 1e3));
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

/** @param {Recording} recording */
function countsFromStart(recording) {
  return recording.clock !== "epoch" && recording.clock !== "time of day";
}

/**
 * The whole second nearest to a moment, as in the sentences.
 * @param {number} us
 */
function nearestSecond(us) {
  return Math.round(us / 1e6) * 1e6;
}

/**
 * The time of day, to the nearest second, or the time since the recording's first moment.
 * @param {Recording} recording
 * @param {number} us
 * @param {boolean} [fine] with fractions of a second
 */
function moment(recording, us, fine = false) {
  if (countsFromStart(recording)) return `+${span(Math.max(us - recording.start_us, 0))}`;
  return iso(fine ? us : nearestSecond(us)).slice(11, fine ? 23 : 19);
}

/**
 * The moments from one to the other, in words.
 * @param {Recording} recording
 * @param {number} from
 * @param {number} to
 */
function between(recording, from, to) {
  const length = span(to - from);
  if (recording.clock === "assumed") return `${length}, intervals assumed`;
  if (countsFromStart(recording)) return length;
  const fine = to - from < 1e6;
  const times = [moment(recording, from, fine), moment(recording, to, fine)];
  if (recording.clock !== "epoch") return `${times.join("–")} local time, ${length}`;
  const days = [from, to].map((us) => iso(fine ? us : nearestSecond(us)).slice(0, 10));
  if (days[0] === days[1]) return `${days[0]} ${times.join("–")} UTC, ${length}`;
  return `${days[0]} ${times[0]} – ${days[1]} ${times[1]} UTC, ${length}`;
}

/**
 * `p50`, `p99.9`, `max`.
 * @param {number} q
 */
function quantileName(q) {
  return q >= 1 ? "max" : `p${Math.round(q * 1e5) / 1e3}`;
}
