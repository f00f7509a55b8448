// Bundle what bundle.js names into one file of the page, and list the licences of what is in it.
//
// In: node_modules, as package-lock.json says. Out: ../page/codemirror.js and
// ../page/codemirror-licences.txt. `node build.js FOLDER` writes both elsewhere.

import { build } from "esbuild";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, "..", "page");
const banner = "/* CodeMirror 6, bundled by gdl/web/editor/build.js; licences: codemirror-licences.txt */";
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: ["bundle.js"],
  outfile: join(folder, "codemirror.js"),
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  banner: { js: banner },
  metafile: true,
});

// The packages of which a line is in the bundle, in order.
const names = Object.keys(metafile.inputs)
  .map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
  .filter(Boolean);
const parts = [...new Set(names)].sort().map((name) => {
  const place = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  const file = readdirSync(place).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${name} has no licence file`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(place, file), "utf8").trim()}\n`;
});
writeFileSync(join(folder, "codemirror-licences.txt"), parts.join(`\n${"-".repeat(80)}\n\n`));
