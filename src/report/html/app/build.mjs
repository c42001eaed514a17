// Bundles the page's script and styles into ../bundle, with the hashes that the page's policy names; --check compares instead.
// Packages are in the directory that SUSPECT_NODE_MODULES names, or in target/tools/node_modules.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const app = dirname(fileURLToPath(import.meta.url));
const bundle = join(app, "../bundle");
const tools = join(app, "../../../../target/tools/package.json");
const esbuild = createRequire(tools)("esbuild");

const options = { bundle: true, minify: true, write: false, charset: "utf8", legalComments: "none", logLevel: "warning" };

async function built(entry, extra) {
  const result = await esbuild.build({ ...options, ...extra, entryPoints: [join(app, entry)] });
  return result.outputFiles[0].text.trimEnd();
}

const script = await built("main.js", { format: "iife", target: "es2020" });
const style = await built("style.css", { target: "chrome100" });
const source = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
const files = { "page.js": script, "page.css": style, "sources.txt": `${source(script)}\n${source(style)}\n` };

for (const [name, text] of Object.entries(files)) {
  const path = join(bundle, name);
  if (!process.argv.includes("--check")) {
    writeFileSync(path, text);
  } else if (readFileSync(path, "utf8") !== text) {
    console.error(`${path} is not what the sources make: type node src/report/html/app/build.mjs`);
    process.exitCode = 1;
  }
}
