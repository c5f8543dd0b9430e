// Moments of the run: chosen by hand, or played one after the other.

/** How long a moment stands still when they are played, milliseconds; longer for those who want little motion. */
const CACHE_STEP = { usual: 700, reduced: 2000 };

/**
 * @param {CacheApp} app
 * @param {number} at
 */
function showMoment(app, at) {
  app.at = Math.min(Math.max(at, 0), app.doc.picture.moments.length - 1);
  /** @type {HTMLInputElement} */ (byId("moment")).value = String(app.at);
  app.render();
}

/**
 * Whoever chooses a moment wants to look at it: playing ends.
 * @param {CacheApp} app
 * @param {number} at
 */
function moveToMoment(app, at) {
  pauseCache(app);
  showMoment(app, at);
}

/** @param {CacheApp} app */
function pauseCache(app) {
  if (app.playing === 0) return;
  clearInterval(app.playing);
  app.playing = 0;
  showPlaying(app);
}

/**
 * Plays the moments from here to the end, from the first if this is the last; or pauses.
 * @param {CacheApp} app
 */
function playCache(app) {
  const last = app.doc.picture.moments.length - 1;
  if (last < 1) return;
  if (app.playing !== 0) {
    pauseCache(app);
    announce(`Paused. ${cacheMomentText(app)}`);
    return;
  }
  if (app.at === last) showMoment(app, 0);
  const step = matchMedia("(prefers-reduced-motion: reduce)").matches ? CACHE_STEP.reduced : CACHE_STEP.usual;
  app.playing = setInterval(() => {
    showMoment(app, app.at + 1);
    if (app.at < last) return;
    pauseCache(app);
    announce(`The end. ${cacheMomentText(app)}`);
  }, step);
  showPlaying(app);
}

/**
 * The button says what it does next. A screen reader says the moment at which playing ends, not all of them.
 * @param {CacheApp} app
 */
function showPlaying(app) {
  byId("play").textContent = app.playing === 0 ? "▶ Play" : "❚❚ Pause";
  byId("moment-text").setAttribute("aria-live", app.playing === 0 ? "polite" : "off");
}

/**
 * What a moment comes to.
 * @param {CacheApp} app
 */
function cacheMomentText(app) {
  const { words, picture } = app.doc;
  const { references, hits } = picture.moments[app.at];
  const share = aboutShare(references > 0 ? hits / references : 0, true, " %");
  return `After ${grouped(references)} ${words.references}: ${share} ${words.found}. ${grouped(app.layout.order.length)} ${words.shown} shown.`;
}
