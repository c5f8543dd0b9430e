// What a screen reader says, once the keys rest.

let announcing = 0;

/** @param {string} text */
function announce(text) {
  clearTimeout(announcing);
  announcing = setTimeout(() => {
    byId("live").textContent = text;
  }, 120);
}
