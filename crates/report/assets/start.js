// Starts the page of a report: unpacks its data and shows them.

async function start() {
  const doc = openDocument(await unpacked("isotherm-data"));
  offerSheets();
  listenToHeadings();
  // Without maps what needs no script is everything there is.
  if (doc.head.entries.length === 0) {
    document.documentElement.dataset.ready = "yes";
    return;
  }
  const app = appOf(doc);
  const sections = document.getElementById("sections");
  if (sections) byId("subtitle").before(sections);
  byId("static").remove();
  showComparison(app);
  openPage(app);
  if (document.getElementById("isotherm-flame")) await startFlamePart();
  document.documentElement.dataset.ready = "yes";
}

start().catch(showTrouble);
