// The ranked list: filtering, walking by keys, copying commands, colours.

import { element } from "./dom.js";

/** Puts a button for copying behind each command. */
export function addCopies(root) {
  for (const command of root.querySelectorAll("code.command")) {
    const button = element("button", { type: "button", class: "copy", "aria-label": `copy ${command.textContent}` }, "copy");
    button.addEventListener("click", () => copy(command, button));
    command.after(button);
  }
}

async function copy(command, button) {
  let done = false;
  try {
    await navigator.clipboard.writeText(command.textContent);
    done = true;
  } catch {
    // A page from a disk may have no clipboard; selecting the text lets the user copy it.
    const range = document.createRange();
    range.selectNodeContents(command);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    done = document.execCommand("copy");
  }
  button.textContent = done ? "copied" : "selected";
  setTimeout(() => (button.textContent = "copy"), 1500);
}

export class List {
  constructor(section, go) {
    this.rest = section.querySelector(".rest");
    this.items = [...section.querySelectorAll(".suspect")];
    this.go = go;
    this.at = -1;
    if (!this.items.length) return;
    this.filter = element("input", { type: "search", id: "filter", placeholder: "file, function or reason", oninput: () => this.narrow() });
    this.said = element("span", { class: "said", role: "status" });
    const keys = element("span", { class: "keys" }, "j / k next and previous, / filter");
    section.querySelector("h2").after(
      element("div", { class: "bar" }, element("label", { for: "filter" }, "Filter"), this.filter, this.said, keys),
    );
    for (const item of this.items) {
      item.querySelector("summary").addEventListener("click", () => {
        if (!item.firstElementChild.open) this.go(item.firstElementChild.id);
      });
    }
  }

  narrow() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    if (this.rest && words.length) this.rest.open = true;
    for (const item of this.items) {
      const text = item.textContent.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      n += item.hidden ? 0 : 1;
    }
    this.said.textContent = words.length ? `${n} of ${this.items.length}` : "";
    this.at = -1;
  }

  /** Goes to the next or previous one that is shown. */
  move(by) {
    const shown = this.items.filter((item) => !item.hidden);
    if (!shown.length) return;
    this.at = Math.min(shown.length - 1, Math.max(0, this.at + by));
    const details = shown[this.at].firstElementChild;
    details.open = true;
    if (this.rest?.contains(details)) this.rest.open = true;
    details.querySelector("summary").focus({ preventScroll: true });
    shown[this.at].scrollIntoView({ block: "nearest" });
    this.go(details.id);
  }

  /** Marks the one that the source shows. */
  mark(id) {
    this.items.forEach((item, at) => {
      const is = item.firstElementChild.id === id;
      item.classList.toggle("current", is);
      if (is) {
        const shown = this.items.filter((other) => !other.hidden);
        this.at = shown.indexOf(item);
      }
    });
  }
}

/** A button that goes from the system's colours to the other ones and back. */
export function colours() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const now = () => document.documentElement.dataset.colours ?? (dark.matches ? "dark" : "light");
  const button = element("button", { type: "button", class: "colours" });
  const say = () => (button.textContent = now() === "dark" ? "Light" : "Dark");
  button.addEventListener("click", () => {
    document.documentElement.dataset.colours = now() === "dark" ? "light" : "dark";
    say();
  });
  say();
  return button;
}
