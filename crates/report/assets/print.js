// On paper: the light colours, at the width of the page, with the tables open.

/** @param {App} app */
function preparePrint(app) {
  if (app.printing) return;
  app.printing = true;
  document.documentElement.dataset.printing = "";
  for (const details of document.querySelectorAll("#tables details")) {
    if (details instanceof HTMLDetailsElement && !details.open) {
      details.open = true;
      details.dataset.closed = "";
    }
  }
  app.render();
}

/** @param {App} app */
function endPrint(app) {
  if (!app.printing) return;
  app.printing = false;
  delete document.documentElement.dataset.printing;
  for (const details of document.querySelectorAll("#tables details[data-closed]")) {
    if (details instanceof HTMLDetailsElement) {
      details.open = false;
      delete details.dataset.closed;
    }
  }
  app.render();
}

/** @param {App} app */
function listenToPrint(app) {
  addEventListener("beforeprint", () => preparePrint(app));
  addEventListener("afterprint", () => endPrint(app));
}
