// A flame graph as a part of a report.

/** @param {FlameApp} app */
function renderFlamePart(app) {
  app.dark = document.documentElement.dataset.theme === "dark";
  drawFlame(app);
  byId("flame-readout").textContent = frameText(app);
}

/** Draws the flame graph of the page, if it has one. */
async function startFlamePart() {
  if (!document.getElementById("isotherm-flame")) return;
  const app = flameApp(JSON.parse(new TextDecoder().decode(await unpacked("isotherm-flame"))), renderFlamePart);
  listenToPicture(app);
  byId("flame-all").addEventListener("click", () => zoomTo(app, 0));
  app.render();
  new ResizeObserver(() => app.render()).observe(byId("flame-pane"));
  new MutationObserver(() => app.render()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
}
