// The dependence model as a graph that one can zoom, filter by strength and walk.

import { anchor, drawn, element } from "./dom.js";
import { layout } from "./layout.js";

/** Nodes and edges that are drawn at most, the strongest edges first. */
const MOST = { nodes: 120, edges: 240 };
/** Nodes that lead to the output, at most: those nearest to it by strong edges. */
const MOST_REACHING = 40;
/** Nodes from the blamed line on, and those before it: so many fit the frame with labels that can be read. */
const MOST_LED = 12;
const MOST_BEFORE = 3;
/** Room of a node, and of a layer and a row. */
const BOX = { width: 180, height: 40 };
const STEP = { x: 224, y: 52 };
const CHARACTERS = 22;
/** The scale from which on labels can be read. */
const READABLE = 0.65;

export class Graph {
  /** `first`: the most suspicious line, from which the graph begins; null where nothing is ranked. */
  constructor(place, model, first) {
    this.model = model;
    this.nodes = new Map(model.nodes.map((node) => [node.id, node]));
    this.edges = model.edges.filter((edge) => edge.strength && edge.cause !== edge.effect);
    this.edges.sort((a, b) => Math.abs(b.strength.direct) - Math.abs(a.strength.direct));
    this.selected = null;
    this.view = { x: 0, y: 0, scale: 1 };
    const limits = { type: "range", id: "strength", min: "0", max: "1", step: "0.05", value: String(this.threshold()) };
    this.slider = element("input", { ...limits, oninput: () => this.draw() });
    this.said = element("output", { for: "strength" });
    const output = model.nodes.find((node) => node.kind === "output");
    this.output = output ? output.id : null;
    this.blamed = this.at_line(first);
    this.extent = element("select", { id: "extent", onchange: () => this.draw() });
    const extents = [
      ["blamed", this.blamed !== null && `from ${first.file.split("/").pop()}:${first.line} on`],
      ["output", output && "what leads to the output"],
      ["all", "the strongest"],
    ];
    for (const [value, words] of extents) if (words) this.extent.append(element("option", { value }, words));
    this.svg = drawn("svg", { role: "group", "aria-label": "Dependence graph", tabindex: "0", onkeydown: (event) => this.key(event) });
    this.panel = element("div", { class: "walk", "aria-live": "polite" });
    const button = (text, label, onclick) => element("button", { type: "button", "aria-label": label, title: label, onclick }, text);
    place.replaceChildren(
      element(
        "div",
        { class: "bar" },
        element("label", { for: "strength" }, "Direct dependence from"),
        this.slider,
        this.said,
        element("label", { for: "extent" }, "Shown"),
        this.extent,
        button("−", "zoom out", () => this.zoom(1 / 1.4)),
        button("+", "zoom in", () => this.zoom(1.4)),
        button("Fit", "fit the graph into its frame", () => this.fit()),
      ),
      this.svg,
      this.panel,
    );
    place.hidden = false;
    this.listen();
    this.draw();
  }

  /** The strength from which on there is most to see at first. */
  threshold() {
    const output = this.model.nodes.find((node) => node.kind === "output");
    const into = this.edges.filter((edge) => output && edge.effect === output.id).map((edge) => Math.abs(edge.strength.direct));
    const all = this.edges.map((edge) => Math.abs(edge.strength.direct)).sort((a, b) => b - a);
    const last = into.length ? Math.min(0.5, Math.max(...into)) : (all[Math.min(40, all.length) - 1] ?? 0);
    return Math.floor(last * 20) / 20;
  }

  /** The node of a line that most depends on; null where there is none with edges. */
  at_line(place) {
    const drawn = new Set(this.edges.flatMap((edge) => [edge.cause, edge.effect]));
    const there = this.model.nodes.filter((node) => place && node.file === place.file && node.line === place.line && drawn.has(node.id));
    const weight = (node) => this.edges.filter((edge) => edge.cause === node.id).reduce((sum, edge) => sum + Math.abs(edge.strength.direct), 0);
    return there.sort((a, b) => weight(b) - weight(a))[0]?.id ?? null;
  }

  /** What is drawn of these edges, which come in the order of their strength. */
  chosen(edges) {
    const { value } = this.extent;
    if (value === "output") return reaching(this.output, edges);
    return value === "blamed" ? leading(this.blamed, edges) : strongest(edges);
  }

  draw() {
    const least = Number(this.slider.value);
    const strong = this.edges.filter((edge) => Math.abs(edge.strength.direct) >= least);
    const { nodes, edges } = this.chosen(strong);
    this.drawn = edges;
    this.said.value = `${least.toFixed(2)}: ${this.drawn.length} of ${strong.length}`;
    this.plan = layout([...nodes], this.drawn);
    this.shapes = new Map();
    this.content = drawn("g", {}, ...this.drawn.map((edge, at) => this.edge(edge, at)), ...[...nodes].map((id) => this.node(id)));
    this.svg.replaceChildren(this.content);
    if (!nodes.has(this.selected)) this.selected = this.extent.value === "blamed" ? this.blamed : null;
    this.begin();
    this.walk(this.selected);
  }

  at({ layer, position }) {
    return { x: layer * STEP.x, y: position * STEP.y };
  }

  edge(edge, at) {
    const way = this.plan.ways[at].map((place) => this.at(place));
    const back = way[0].x > way[way.length - 1].x ? -1 : 1;
    const ends = way.map((point, position) => {
      const out = position === 0 ? BOX.width / 2 : position === way.length - 1 ? -BOX.width / 2 - 6 : 0;
      return { x: point.x + back * out, y: point.y };
    });
    let path = `M${ends[0].x},${ends[0].y}`;
    for (let to = 1; to < ends.length; to++) {
      const [a, b] = [ends[to - 1], ends[to]];
      const bend = ((b.x - a.x) / 2) | 0;
      path += `C${a.x + bend},${a.y} ${b.x - bend},${b.y} ${b.x},${b.y}`;
    }
    const { direct, carried } = edge.strength;
    const line = drawn("path", { d: path, class: `edge${carried ? " carried" : ""}${direct < 0 ? " negative" : ""}` });
    line.style.strokeWidth = `${1 + 3 * Math.min(1, Math.abs(direct))}px`;
    const tip = ends[ends.length - 1];
    const head = drawn("path", { class: "head", d: `M${tip.x},${tip.y - 4}L${tip.x + back * 7},${tip.y}L${tip.x},${tip.y + 4}Z` });
    const name = `${this.label(edge.cause)} to ${this.label(edge.effect)}: direct ${direct.toFixed(2)}`;
    const group = drawn("g", { class: "link" }, drawn("title", {}, name), line, head);
    this.shapes.set(edge, group);
    return group;
  }

  node(id) {
    const { x, y } = this.at(this.plan.places.get(id));
    const node = this.nodes.get(id);
    const where = node.line ? `${node.file.split("/").pop()}:${node.line}` : "";
    const what = node.line ? `${node.name || node.kind}` : "output";
    const cut = (text) => (text.length > CHARACTERS ? text.slice(0, CHARACTERS - 1) + "…" : text);
    const group = drawn(
      "g",
      {
        class: `node ${node.kind}`,
        transform: `translate(${x - BOX.width / 2},${y - BOX.height / 2})`,
        tabindex: "0",
        role: "button",
        onclick: () => this.walk(id),
        onfocus: () => this.walk(id),
      },
      drawn("rect", { width: BOX.width, height: BOX.height, rx: 5 }),
      drawn("text", { x: 8, y: 16, class: "what" }, cut(what)),
      drawn("text", { x: 8, y: 32, class: "at" }, cut(`${where} ${node.kind}`.trim())),
    );
    this.shapes.set(id, group);
    return group;
  }

  label(id) {
    return this.nodes.get(id)?.label ?? "";
  }

  /** Edges into a node or out of it, the strongest first. */
  beside(id, side) {
    const edges = this.drawn.filter((edge) => edge[side === "causes" ? "effect" : "cause"] === id);
    return edges.sort((a, b) => Math.abs(b.strength.direct) - Math.abs(a.strength.direct));
  }

  /** Everything that leads to a node, or that it leads to. */
  beyond(id, side) {
    const found = new Set();
    const waiting = [id];
    while (waiting.length) {
      for (const edge of this.beside(waiting.pop(), side)) {
        found.add(edge);
        const other = side === "causes" ? edge.cause : edge.effect;
        if (!found.has(other)) {
          found.add(other);
          waiting.push(other);
        }
      }
    }
    return found;
  }

  /** Selects a node and says what leads to it and what it leads to. */
  walk(id) {
    this.selected = id;
    const causes = id === null ? new Set() : this.beyond(id, "causes");
    const effects = id === null ? new Set() : this.beyond(id, "effects");
    for (const [key, shape] of this.shapes) {
      shape.classList.toggle("selected", key === id);
      shape.classList.toggle("cause", causes.has(key) && key !== id);
      shape.classList.toggle("effect", effects.has(key) && key !== id);
      shape.classList.toggle("apart", id !== null && key !== id && !causes.has(key) && !effects.has(key));
    }
    if (id === null) {
      this.panel.replaceChildren(element("p", {}, "Choose a node to see what causes it and what it affects. Arrow keys walk along the strongest edges."));
      return;
    }
    const node = this.nodes.get(id);
    const list = (title, side) => {
      const edges = this.beside(id, side);
      const item = (edge) => {
        const other = side === "causes" ? edge.cause : edge.effect;
        const go = () => this.focus(other);
        const strength = edge.strength.direct.toFixed(2);
        return element("li", {}, element("button", { type: "button", onclick: go }, `${strength}  ${this.label(other)}`));
      };
      const items = edges.length ? edges.map(item) : [element("li", {}, "none drawn")];
      return element("div", {}, element("h3", {}, title), element("ul", {}, ...items));
    };
    const link = node.line ? [element("a", { class: "place", href: "#" + anchor(node.file, node.line) }, "in the source")] : [];
    this.panel.replaceChildren(
      element("p", { class: "chosen" }, element("b", {}, node.label), " ", ...link),
      element("div", { class: "sides" }, list("Causes", "causes"), list("Effects", "effects")),
    );
  }

  focus(id) {
    this.shapes.get(id)?.focus({ preventScroll: true });
    this.walk(id);
    this.centre(id);
  }

  key(event) {
    const zooms = { "+": 1.4, "-": 1 / 1.4 };
    if (zooms[event.key]) this.zoom(zooms[event.key]);
    else if (event.key === "0") this.fit();
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.step(event.key === "ArrowLeft" ? "causes" : "effects");
    else if (event.key === "ArrowUp" || event.key === "ArrowDown") this.sideways(event.key === "ArrowUp" ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  step(side) {
    if (this.selected === null) return this.focus([...this.plan.places.keys()][0]);
    const edge = this.beside(this.selected, side)[0];
    if (edge) this.focus(side === "causes" ? edge.cause : edge.effect);
  }

  /** The next node up or down in the same layer. */
  sideways(by) {
    if (this.selected === null) return;
    const { layer } = this.plan.places.get(this.selected);
    const same = [...this.plan.places].filter(([, place]) => place.layer === layer).sort((a, b) => a[1].position - b[1].position);
    const at = same.findIndex(([id]) => id === this.selected) + by;
    if (same[at]) this.focus(same[at][0]);
  }

  frame() {
    return { width: this.svg.clientWidth || 800, height: this.svg.clientHeight || 420 };
  }

  apply() {
    const { x, y, scale } = this.view;
    this.content.setAttribute("transform", `translate(${x},${y}) scale(${scale})`);
    this.svg.dataset.scale = scale.toFixed(3);
  }

  fit() {
    const points = [...this.plan.places.values()].map((place) => this.at(place));
    if (!points.length) return this.apply();
    const [left, right] = [Math.min(...points.map((p) => p.x)) - BOX.width, Math.max(...points.map((p) => p.x)) + BOX.width];
    const [top, bottom] = [Math.min(...points.map((p) => p.y)) - STEP.y, Math.max(...points.map((p) => p.y)) + STEP.y];
    const { width, height } = this.frame();
    const scale = Math.min(1.2, width / (right - left), height / (bottom - top));
    this.view = { scale, x: width / 2 - (scale * (left + right)) / 2, y: height / 2 - (scale * (top + bottom)) / 2 };
    this.apply();
  }

  /** A view in which labels can be read: of everything if it is small, else of the selected node, or of the end that all leads to. */
  begin() {
    this.fit();
    if (this.view.scale >= READABLE || !this.plan.places.size) return;
    if (this.selected !== null) return this.centre(this.selected);
    const places = [...this.plan.places].sort((a, b) => b[1].layer - a[1].layer);
    const last = places.find(([id]) => this.nodes.get(id).kind === "output") ?? places[0];
    const point = this.at(last[1]);
    const { width, height } = this.frame();
    this.view = { scale: READABLE, x: width - READABLE * (point.x + BOX.width / 2 + 20), y: height / 2 - READABLE * point.y };
    this.apply();
  }

  centre(id) {
    const point = this.at(this.plan.places.get(id));
    const { width, height } = this.frame();
    const scale = Math.max(this.view.scale, 0.7);
    this.view = { scale, x: width / 2 - scale * point.x, y: height / 2 - scale * point.y };
    this.apply();
  }

  zoom(by, at) {
    const { width, height } = this.frame();
    const centre = at ?? { x: width / 2, y: height / 2 };
    const scale = Math.min(4, Math.max(0.05, this.view.scale * by));
    const ratio = scale / this.view.scale;
    this.view = { scale, x: centre.x - (centre.x - this.view.x) * ratio, y: centre.y - (centre.y - this.view.y) * ratio };
    this.apply();
  }

  listen() {
    this.svg.addEventListener(
      "wheel",
      (event) => {
        // Without a modifier the page scrolls, as one expects.
        if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
        event.preventDefault();
        const box = this.svg.getBoundingClientRect();
        this.zoom(Math.exp(-(event.deltaY || event.deltaX) / 300), { x: event.clientX - box.left, y: event.clientY - box.top });
      },
      { passive: false },
    );
    let from = null;
    this.svg.addEventListener("pointerdown", (event) => (from = { x: event.clientX - this.view.x, y: event.clientY - this.view.y }));
    this.svg.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons) return;
      this.view = { ...this.view, x: event.clientX - from.x, y: event.clientY - from.y };
      this.apply();
    });
    for (const end of ["pointerup", "pointerleave"]) this.svg.addEventListener(end, () => (from = null));
  }
}

/** As many of these edges as can be drawn, which come in the order of their strength. */
function strongest(edges) {
  const nodes = new Set();
  const chosen = [];
  for (const edge of edges) {
    const added = [edge.cause, edge.effect].filter((id) => !nodes.has(id));
    if (chosen.length === MOST.edges || nodes.size + added.length > MOST.nodes) continue;
    added.forEach((id) => nodes.add(id));
    chosen.push(edge);
  }
  return { nodes, edges: chosen };
}

/** What a node leads to, at any distance, by the strongest edges first, and what it directly depends on. */
function leading(source, edges) {
  const nodes = new Set([source]);
  for (let grown = true; grown && nodes.size < MOST_LED; ) {
    const next = edges.find((edge) => nodes.has(edge.cause) && !nodes.has(edge.effect));
    grown = Boolean(next);
    if (next) nodes.add(next.effect);
  }
  const before = edges.filter((edge) => edge.effect === source && !nodes.has(edge.cause)).slice(0, MOST_BEFORE);
  before.forEach((edge) => nodes.add(edge.cause));
  return { nodes, edges: edges.filter((edge) => nodes.has(edge.cause) && nodes.has(edge.effect)).slice(0, MOST.edges) };
}

/** The edges that lead to a node, at any distance: the strongest that leads to what is there already comes next. */
function reaching(target, edges) {
  const nodes = new Set([target]);
  for (let grown = true; grown && nodes.size < MOST_REACHING; ) {
    const next = edges.find((edge) => nodes.has(edge.effect) && !nodes.has(edge.cause));
    grown = Boolean(next);
    if (next) nodes.add(next.cause);
  }
  return { nodes, edges: edges.filter((edge) => nodes.has(edge.cause) && nodes.has(edge.effect)).slice(0, MOST.edges) };
}
