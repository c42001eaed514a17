// A layered drawing of a graph: causes on the left, effects on the right.

/** Sweeps that put the nodes of a layer near their neighbours. */
const SWEEPS = 12;

/**
 * Places of nodes and ways of edges. `nodes`: ids; `edges`: {cause, effect}. Edges that would lead back are drawn the other way round.
 * Nodes get {layer, position} in steps of one; `ways` has for each edge the points between, in the same steps.
 */
export function layout(nodes, edges) {
  const forward = acyclic(nodes, edges);
  const layers = layered(nodes, forward);
  const rows = [];
  for (const id of nodes) (rows[layers.get(id)] ??= []).push(id);
  const links = [];
  const ways = forward.map(({ from, to }) => {
    const way = [from];
    for (let layer = layers.get(from) + 1; layer < layers.get(to); layer++) {
      const bend = Symbol("bend");
      layers.set(bend, layer);
      rows[layer].push(bend);
      way.push(bend);
    }
    way.push(to);
    for (let at = 1; at < way.length; at++) links.push([way[at - 1], way[at]]);
    return way;
  });
  const positions = ordered(rows, links);
  const place = (id) => ({ layer: layers.get(id), position: positions.get(id) });
  return {
    places: new Map(nodes.map((id) => [id, place(id)])),
    ways: ways.map((way, at) => (forward[at].turned ? way.slice().reverse() : way).map(place)),
    n_layers: rows.length,
  };
}

/** Edges that lead forward only: those that close a circle are turned. */
function acyclic(nodes, edges) {
  const out = new Map(nodes.map((id) => [id, []]));
  edges.forEach((edge, at) => out.get(edge.cause).push([edge.effect, at]));
  const state = new Map();
  const turned = new Set();
  for (const root of nodes) {
    const stack = [[root, 0]];
    while (stack.length) {
      const top = stack[stack.length - 1];
      if (top[1] === 0) state.set(top[0], "open");
      const next = state.get(top[0]) === "done" ? undefined : out.get(top[0])[top[1]++];
      if (!next) {
        state.set(top[0], "done");
        stack.pop();
      } else if (state.get(next[0]) === "open") turned.add(next[1]);
      else if (!state.has(next[0])) stack.push([next[0], 0]);
    }
  }
  return edges.map((edge, at) =>
    turned.has(at) ? { from: edge.effect, to: edge.cause, turned: true } : { from: edge.cause, to: edge.effect, turned: false },
  );
}

/** The layer of each node: as many as the longest way to it. */
function layered(nodes, edges) {
  const layers = new Map(nodes.map((id) => [id, 0]));
  const waiting = new Map(nodes.map((id) => [id, 0]));
  const out = new Map(nodes.map((id) => [id, []]));
  for (const { from, to } of edges) {
    if (from === to) continue;
    out.get(from).push(to);
    waiting.set(to, waiting.get(to) + 1);
  }
  const ready = nodes.filter((id) => waiting.get(id) === 0);
  while (ready.length) {
    const id = ready.shift();
    for (const to of out.get(id)) {
      layers.set(to, Math.max(layers.get(to), layers.get(id) + 1));
      waiting.set(to, waiting.get(to) - 1);
      if (waiting.get(to) === 0) ready.push(to);
    }
  }
  return layers;
}

/** Positions within layers: near the neighbours, at least one apart. */
function ordered(rows, links) {
  const positions = new Map();
  rows.forEach((row) => row.forEach((id, at) => positions.set(id, at - row.length / 2)));
  const neighbours = new Map();
  const add = (a, b) => neighbours.set(a, [...(neighbours.get(a) ?? []), b]);
  for (const [a, b] of links) {
    add(a, b);
    add(b, a);
  }
  const wanted = (id) => {
    const near = neighbours.get(id) ?? [];
    return near.length ? near.reduce((sum, other) => sum + positions.get(other), 0) / near.length : positions.get(id);
  };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const row of sweep % 2 ? rows.slice().reverse() : rows) {
      const aims = row.map((id) => [wanted(id), id]).sort((a, b) => a[0] - b[0]);
      spread(aims).forEach((position, at) => positions.set(aims[at][1], position));
    }
  }
  return positions;
}

/** Positions at least one apart, as near to the aims as their mean allows. */
function spread(aims) {
  const blocks = [];
  for (const [aim] of aims) {
    blocks.push({ sum: aim, n: 1 });
    while (blocks.length > 1) {
      const [before, last] = blocks.slice(-2);
      const start = (block) => block.sum / block.n - (block.n - 1) / 2;
      if (start(before) + before.n <= start(last)) break;
      blocks.splice(-2, 2, { sum: before.sum + last.sum, n: before.n + last.n });
    }
  }
  return blocks.flatMap((block) => Array.from({ length: block.n }, (_, at) => block.sum / block.n - (block.n - 1) / 2 + at));
}
