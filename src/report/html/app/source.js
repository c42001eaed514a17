// The source beside the list: files with heat, evidence and chains of causes. Lines are made when they come into sight.

import { anchor, element, prose } from "./dom.js";
import { coloured, commentStarts } from "./highlight.js";

/** Lines that are made together, and the height of one (style.css has the same). */
const CHUNK = 100;
const LINE_HEIGHT = 20;
/** Reasons shown with a line. */
const REASONS = 3;

export class Source {
  constructor(panel, data, go) {
    this.panel = panel;
    this.go = go;
    this.files = new Map(data.files.map((file) => [file.path, file]));
    this.marks = byPlace(data.entries.map((entry) => [entry.file, entry.line, entry]));
    this.bubbles = byPlace(data.bubbles.map((bubble) => [bubble.file, bubble.line, bubble]));
    this.lines = [];
    this.current = null;
    this.select = element("select", { id: "file", onchange: () => this.begin(this.select.value) });
    for (const path of this.files.keys()) this.select.append(element("option", { value: path }, path));
    this.code = element("div", { class: "code", tabindex: "0", role: "region", "aria-label": "Source code" });
    const close = element("button", { type: "button", class: "close", onclick: () => this.close() }, "Back to the list");
    this.panel.replaceChildren(
      element("div", { class: "bar" }, element("label", { for: "file" }, "File"), this.select, close),
      this.code,
    );
    this.observer = new IntersectionObserver((seen) => this.fillSeen(seen), { root: this.code, rootMargin: "600px" });
    this.panel.hidden = this.files.size === 0;
  }

  has(file) {
    return this.files.has(file);
  }

  /** The line of a file to begin with: the most suspicious one. */
  firstOf(path) {
    const marks = [...(this.marks.get(path) ?? new Map())];
    const first = marks.reduce((best, mark) => (!best || mark[1][0].best < best[1][0].best ? mark : best), null);
    return first ? first[0] : 1;
  }

  /** Goes to a file's most suspicious line. */
  begin(path) {
    this.go(anchor(path, this.firstOf(path)));
  }

  /** Shows a line with what is known of it. */
  show(path, line) {
    if (!this.has(path)) return false;
    if (this.current !== path) this.open(path);
    this.code.querySelectorAll(".selected").forEach((row) => row.classList.remove("selected"));
    const at = Math.min(Math.max(1, line), this.lines.length);
    const chunk = this.code.children[Math.floor((at - 1) / CHUNK)];
    if (!chunk) return false;
    this.fill(chunk);
    const row = chunk.querySelector(`[data-line="${at}"]`);
    row.classList.add("selected");
    this.note(row, at, true);
    document.body.classList.add("reading-source");
    // The pane alone: the page stays where it is.
    this.code.scrollTop = row.offsetTop - this.code.clientHeight / 3;
    this.code.scrollLeft = 0;
    return true;
  }

  close() {
    document.body.classList.remove("reading-source");
  }

  open(path) {
    this.current = path;
    this.select.value = path;
    const file = this.files.get(path);
    this.lines = file.text.split("\n");
    if (this.lines.length > 1 && this.lines[this.lines.length - 1] === "") this.lines.pop();
    this.within = commentStarts(this.lines);
    this.ran = new Map(file.lines.map((line, at) => [line, [file.failing[at], file.passing[at]]]));
    this.observer.disconnect();
    const chunks = [];
    for (let first = 0; first < this.lines.length; first += CHUNK) {
      const chunk = element("div", { class: "chunk", "data-first": first });
      chunk.style.height = `${Math.min(CHUNK, this.lines.length - first) * LINE_HEIGHT}px`;
      chunks.push(chunk);
    }
    this.code.replaceChildren(...chunks);
    chunks.forEach((chunk) => this.observer.observe(chunk));
  }

  fillSeen(seen) {
    seen.filter((entry) => entry.isIntersecting).forEach((entry) => this.fill(entry.target));
  }

  /** Makes the lines of a chunk. */
  fill(chunk) {
    if (chunk.firstChild) return;
    const first = Number(chunk.dataset.first);
    const rows = this.lines.slice(first, first + CHUNK).map((text, at) => this.row(first + at + 1, text));
    chunk.append(...rows);
    chunk.style.height = "";
    this.observer.unobserve(chunk);
  }

  row(line, text) {
    const mark = this.marks.get(this.current)?.get(line)?.[0];
    const ran = this.ran.get(line);
    const heat = mark ? Math.max(1, Math.ceil(mark.heat * 9)) : 0;
    const heated = heat > 1 ? " ranked" : heat ? " ranked faint" : "";
    const counts = ran && ran[0] + ran[1] > 0 ? `${ran[0]}/${ran[1]}` : ran ? "–" : "";
    const label = ran ? `${ran[0]} failing and ${ran[1]} passing tests execute line ${line}` : null;
    const row = element(
      "div",
      { class: `line${heated}${ran && ran[0] + ran[1] === 0 ? " unexecuted" : ""}`, "data-line": line },
      element("a", { class: "n", href: "#" + anchor(this.current, line), "aria-label": `line ${line}` }, String(line)),
      element("span", { class: "ran", title: label }, counts),
      element("span", { class: "text" }, ...coloured(text, this.within[line - 1] === 1)),
    );
    if (heat) row.style.setProperty("--heat", String(heat));
    if (mark) row.append(this.badge(mark, line));
    const changes = this.changesAt(line);
    for (const change of changes.slice(0, MOST_CHANGES)) row.append(this.dot(change, line));
    const bubbles = this.bubbles.get(this.current)?.get(line) ?? [];
    for (const bubble of bubbles.slice(0, MOST_BUBBLES)) {
      row.append(element("a", { class: "bubble", href: `#${bubble.id}`, title: bubble.text, "aria-label": `${bubble.number}: ${bubble.text}` }, bubble.number));
    }
    if (bubbles.length > MOST_BUBBLES) row.append(element("span", {}, ` ${more(bubbles)}`));
    return row;
  }

  /** The changes that were tried at a line and turned a test. */
  changesAt(line) {
    return (this.marks.get(this.current)?.get(line) ?? []).flatMap((mark) => mark.changes);
  }

  /** The mark of a change; it shows what changes. */
  dot(change, line) {
    const words = `${change.effect === "mends" ? "mends" : "mends and breaks"}: ${change.words}`;
    const show = (event) => {
      const row = event.currentTarget.closest(".line");
      this.note(row, line, true);
      for (const one of row.nextElementSibling.querySelectorAll(".change")) one.open = one.dataset.id === change.id;
    };
    const sign = change.effect === "mends" ? "\u2713" : "\u2717";
    return element("button", { type: "button", class: `dot ${change.effect}`, "aria-label": words, title: words, onclick: show }, sign);
  }

  badge(mark, line) {
    const rank = mark.best === mark.worst ? `${mark.best}` : `${mark.best}-${mark.worst}`;
    const toggle = (event) => this.note(event.currentTarget.closest(".line"), line, null);
    const words = `rank ${rank}, ${mark.suspicion}: evidence`;
    return element("button", { type: "button", class: "badge", "aria-label": words, title: words, onclick: toggle }, `#${rank}`);
  }

  /** Shows or hides what is known of a line; `wanted` null: the other of both. */
  note(row, line, wanted) {
    const next = row.nextElementSibling;
    const there = next && next.classList.contains("note");
    if (there && wanted !== true) next.remove();
    const marks = this.marks.get(this.current)?.get(line) ?? [];
    const bubbles = this.bubbles.get(this.current)?.get(line) ?? [];
    if (there || marks.length + bubbles.length === 0) return;
    const items = marks.flatMap((mark) => [
      element("p", {}, element("b", {}, mark.suspicion), ` ${mark.evidence}`),
      ...mark.changes.slice(0, MOST_CHANGES).map(changed),
      ...(mark.changes.length ? [] : mark.reasons.slice(0, REASONS).map((reason) => element("p", {}, ...prose(reason)))),
    ]);
    const steps = bubbles.slice(0, MOST_BUBBLES).map((bubble) =>
      element("p", {}, element("a", { class: "bubble", href: `#${bubble.id}` }, bubble.number), ` ${bubble.text}`),
    );
    if (bubbles.length > MOST_BUBBLES) steps.push(element("p", { class: "about" }, more(bubbles)));
    row.after(element("div", { class: "note" }, ...items, ...steps));
  }
}

/** A change that was tried, with its diff folded. */
function changed(change) {
  const lines = (change.patch ?? "").split("\n").filter((text) => /^[-+](?![-+]{2} )/.test(text));
  const diff = lines.map((text) => element("span", { class: text[0] === "-" ? "removed" : "added" }, `${text}\n`));
  const sign = change.effect === "mends" ? "\u2713" : "\u2717";
  return element(
    "details",
    { class: `change ${change.effect}`, "data-id": change.id },
    element("summary", {}, `${sign} `, ...prose(change.words)),
    ...(diff.length ? [element("pre", { tabindex: "0" }, ...diff)] : []),
    element("p", {}, element("code", { class: "command" }, `suspect replay ${change.id}`)),
  );
}

/** Values by file and line. */
function byPlace(triples) {
  const files = new Map();
  for (const [file, line, value] of triples) {
    if (!files.has(file)) files.set(file, new Map());
    const lines = files.get(file);
    lines.set(line, [...(lines.get(line) ?? []), value]);
  }
  return files;
}

/** Changes that are marked at one line. */
const MOST_CHANGES = 4;

/** Steps that are told at one line. */
const MOST_BUBBLES = 6;

const more = (bubbles) => `and ${bubbles.length - MOST_BUBBLES} more steps`;
