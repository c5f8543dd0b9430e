// Two single intervals against each other: neither has a course over time, so that each side is a
// histogram, both on one scale, and their difference a bar to the left or to the right.

/** The room that the number of a bar takes, in CSS pixels. */
const COMPARED_NUMBER = 64;

/** @param {ComparedMap} map */
function comparesSingles(map) {
  return map.columns === 1;
}

/**
 * The rates of the rows of both sides, or how far B's lie above A's; null where nothing is known.
 * @param {ComparedMap} map
 * @param {"a" | "b" | "difference"} which
 * @param {MapKind} kind
 * @returns {(number | null)[]}
 */
function comparedAmounts(map, which, kind) {
  return map.rows.map((_, row) => {
    const [a, b] = [comparedRate(map.a, kind, row, 0), comparedRate(map.b, kind, row, 0)];
    if (which !== "difference") return which === "a" ? a : b;
    return a === null || b === null ? null : b - a;
  });
}

/**
 * Draws a side, or the difference, as bars; a difference within noise is grey.
 * @param {App} app
 * @param {Comparison} compare
 * @param {ComparedMap} map
 * @param {"a" | "b" | "difference"} which
 */
function drawComparedBars(app, compare, map, which) {
  const sheet = sheetOf(app, canvasesOf(`compare-${which}`)[0]);
  const { pen } = sheet;
  const [box, ink, kind] = [plotBox(sheet), inkOf(app), comparedKind()];
  const places = edgePlaces(comparedBounds(map));
  const isDifference = which === "difference";
  const amounts = comparedAmounts(map, which, kind);
  const sides = isDifference ? [amounts] : [comparedAmounts(map, "a", kind), comparedAmounts(map, "b", kind)];
  const [least, most] = [Math.min, Math.max].map((of) => of(0, ...sides.flat().map((amount) => amount ?? 0)));
  // To the left there is only as much room as what is less in B takes.
  const numbers = COMPARED_NUMBER * (least < 0 && most > 0 ? 2 : 1);
  const perUnit = (box.width - numbers) / (most - least || 1);
  const zero = box.x + (least < 0 ? -least * perUnit + COMPARED_NUMBER : 0);
  drawLevels(app, sheet, box, latencyTicks(comparedBounds(map), box.height, 15), false);
  pen.fillStyle = ink.line;
  pen.fillRect(zero - 1, box.y, 1, box.height);
  pen.textBaseline = "middle";
  amounts.forEach((amount, row) => {
    if (!amount) return;
    const [top, foot] = [row + 1, row].map((edge) => box.y + box.height * (1 - places[edge]));
    const long = Math.max(Math.abs(amount) * perUnit, 1);
    pen.fillStyle = isDifference ? differenceColour(app, map.z[row][0] ?? 0) || ink.line : kind === "frequency" ? ink.accent : ink.warm;
    pen.fillRect(amount < 0 ? zero - long : zero, top + 0.5, long, Math.max(foot - top - 1, 1));
    if (foot - top < NUMBERED_BAR / 2) return;
    pen.fillStyle = ink.muted;
    pen.textAlign = amount < 0 ? "right" : "left";
    const about = kind === "intensity" && !compare.exact ? "≈" : "";
    const sign = isDifference ? (amount < 0 ? "−" : "+") : "";
    pen.fillText(`${about}${sign}${quantity(Math.abs(amount))}`, amount < 0 ? zero - long - 5 : zero + long + 5, (top + foot) / 2);
  });
}

/**
 * What the bars stand for.
 * @param {App} app
 */
function comparedBarsLegend(app) {
  const unit = comparedKind() === "frequency" ? "events/s" : "average waiting";
  const items = [`Bars: ${unit} at each latency, A and B on one scale. Δ: B − A`];
  const swatches = /** @type {[string, string][]} */ ([[differenceColour(app, -9), "less in B"], [differenceColour(app, 9), "more in B"], [inkOf(app).line, "within noise, or too little to tell"]]);
  return [element("li", items), ...swatches.map(([colour, text]) => {
    const box = element("i", []);
    box.style.background = colour;
    return element("li", [box, text]);
  })];
}
