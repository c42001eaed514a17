// What the page can do in a browser that runs scripts; without this it is a document.

import { anchor, placeOf } from "./dom.js";
import { Graph } from "./graph.js";
import { List, addCopies, colours } from "./list.js";
import { Source } from "./source.js";

const data = JSON.parse(document.getElementById("data").textContent);
const source = new Source(document.getElementById("source"), data, (id) => go(id));
const list = new List(document.getElementById("suspects"), (id) => go(id));

document.documentElement.classList.add("scripted");
addCopies(document.getElementById("reading"));
document.querySelector("header nav").append(colours());

/** Goes to a part of the page at once, so that going back works. */
function go(id) {
  if (location.hash !== "#" + id) history.pushState(null, "", "#" + id);
  follow();
}

/** Shows what the page's address names. */
function follow() {
  const place = placeOf(location.hash);
  if (place && source.show(place.file, place.line)) return list.mark(anchor(place.file, place.line));
  source.close();
  // A closed part has no place to go to.
  let target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
  for (; target; target = target.parentElement) if (target.tagName === "DETAILS") target.open = true;
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape") {
    source.close();
    document.activeElement?.blur?.();
    return;
  }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  if (event.key === "j") list.move(1);
  else if (event.key === "k") list.move(-1);
  else if (event.key === "/" && list.filter) list.filter.focus();
  else return;
  event.preventDefault();
}

addEventListener("hashchange", follow);
addEventListener("keydown", onKey);
// Beside what is read there is always some source.
if (data.entries.length && matchMedia("(min-width: 70rem)").matches) source.show(data.entries[0].file, data.entries[0].line);
if (location.hash) follow();

/** The graph is drawn when it comes near, since that takes longest. */
const place = document.getElementById("graph");
if (place && data.model) {
  place.hidden = false;
  const observer = new IntersectionObserver(
    (seen) => {
      if (!seen.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      document.getElementById("model-table").open = false;
      new Graph(place, data.model, data.entries[0] ?? null);
    },
    { rootMargin: "400px" },
  );
  observer.observe(place);
}
document.documentElement.dataset.ready = String(Math.round(performance.now()));
