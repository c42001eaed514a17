// Making elements. Whatever comes from a program becomes text, never markup.

const MISLEADING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text as it may be shown: characters that control terminals or turn the direction of writing are shown as replaced. */
export function shown(text) {
  return String(text).replace(MISLEADING, "\ufffd");
}

/** An element with attributes (`on...`: listeners) and children: elements and texts. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same in SVG. */
export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) made.setAttribute(key, shown(value));
  }
  for (const child of children.flat()) made.append(child instanceof Node ? child : shown(child));
  return made;
}

/** What a line is called in the page's address; the same as in the page's markup. */
export function anchor(file, line) {
  const plain = (byte) => /[A-Za-z0-9\-._~/+,]/.test(String.fromCharCode(byte)) && byte < 128;
  const bytes = [...new TextEncoder().encode(file)];
  const name = bytes.map((byte) => (plain(byte) ? String.fromCharCode(byte) : "%" + byte.toString(16).toUpperCase().padStart(2, "0")));
  return `s=${name.join("")}:${line}`;
}

/** The file and line that an address names, if it names one. */
export function placeOf(hash) {
  const match = /^#?s=(.*):(\d+)$/.exec(hash);
  if (!match) return null;
  try {
    return { file: decodeURIComponent(match[1]), line: Number(match[2]) };
  } catch {
    return null;
  }
}

/** Prose in which code stands between backticks. */
export function prose(text) {
  return text.split("`").map((part, at) => (at % 2 ? element("code", {}, part) : part));
}
