// C as coloured text, line by line.

import { element, shown } from "./dom.js";

const WORDS =
  "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Noreturn _Static_assert NULL";
const KEYWORDS = new Set(WORDS.split(" "));
const TOKEN = /\/\*[^]*?(?:\*\/|$)|\/\/.*|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[A-Za-z_]\w*|\d[\w.]*|^\s*#\s*\w+/g;

/** For each line whether it begins within a comment. */
export function commentStarts(lines) {
  const starts = new Uint8Array(lines.length + 1);
  let within = false;
  for (let at = 0; at < lines.length; at++) {
    starts[at] = within ? 1 : 0;
    if (!within && !lines[at].includes("/*")) continue;
    within = endsWithin(lines[at], within);
  }
  return starts;
}

function endsWithin(line, within) {
  const rest = within ? afterComment(line) : line;
  if (rest === null) return true;
  let last = null;
  for (const match of rest.matchAll(TOKEN)) last = match[0];
  return last !== null && last.startsWith("/*") && !(last.endsWith("*/") && last.length >= 4);
}

/** What stands behind the comment in which a line begins; null if that does not end in it. */
function afterComment(line) {
  const end = line.indexOf("*/");
  return end < 0 ? null : line.slice(end + 2);
}

/** A line as text and coloured spans. */
export function coloured(line, within) {
  const parts = [];
  let rest = line;
  if (within) {
    const after = afterComment(line);
    const end = after === null ? line.length : line.length - after.length;
    parts.push(element("span", { class: "comment" }, line.slice(0, end)));
    rest = line.slice(end);
  }
  let last = 0;
  for (const match of rest.matchAll(TOKEN)) {
    const kind = kindOf(match[0]);
    if (!kind) continue;
    if (match.index > last) parts.push(shown(rest.slice(last, match.index)));
    parts.push(element("span", { class: kind }, match[0]));
    last = match.index + match[0].length;
  }
  if (last < rest.length) parts.push(shown(rest.slice(last)));
  return parts;
}

function kindOf(token) {
  if (token.startsWith("/*") || token.startsWith("//")) return "comment";
  if (token[0] === '"' || token[0] === "'") return "string";
  if (/^\d/.test(token)) return "literal";
  if (/^\s*#/.test(token)) return "directive";
  return KEYWORDS.has(token) ? "keyword" : null;
}
