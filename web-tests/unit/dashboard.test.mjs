// Dashboards for Grafana have the shape that its own types give them. Passed over where the program has not been built.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { faults } from "../grafana.mjs";

const target = process.env.CARGO_TARGET_DIR ?? new URL("../../target", import.meta.url).pathname;
const program = process.env.ISOTHERM ?? join(target, "debug", "isotherm");
const skip = existsSync(program) ? false : `there is no ${program}: build it first`;
const printed = (...words) => JSON.parse(execFileSync(program, words, { encoding: "utf8" }));

/** Everything about a dashboard that is not as Grafana has it. */
function all(dashboard) {
  const { panels, ...rest } = dashboard;
  const ofPanel = (panel, at) => {
    const place = (fault) => `panel ${at}: ${fault}`;
    const options = { heatmap: "HeatmapOptions", timeseries: "LinesOptions" }[panel.type];
    const custom = panel.type === "timeseries" ? faults("LinesField", panel.fieldConfig.defaults.custom) : [];
    return [...faults("Panel", panel), ...faults(options, panel.options), ...custom].map(place);
  };
  return [...faults("Dashboard", rest), ...panels.flatMap(ofPanel)];
}

describe("dashboards", { skip }, () => {
  test("that of a live page", () => {
    const dashboard = printed("serve", "--dashboard", "--name", "db1.example.org");
    assert.deepEqual(all(dashboard), []);
    // What checks this does find what is wrong.
    dashboard.panels[0].options.color.scale = "loud";
    dashboard.panels[1].gridpos = {};
    delete dashboard.schemaVersion;
    assert.equal(all(dashboard).length, 3);
  });

  test("that of a fleet", () => {
    const dashboard = printed("fleet", "--metric", "isotherm_latency_seconds", "--by", "host", "--dashboard");
    assert.deepEqual(all(dashboard), []);
  });
});
