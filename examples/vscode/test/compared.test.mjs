// The answer of a comparison, shown in an editor that only remembers.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

const require = createRequire(import.meta.url);
const source = readFileSync(new URL("../src/compared.ts", import.meta.url), "utf8");
const { code } = require("esbuild").transformSync(source, { loader: "ts", format: "esm" });
const { compared } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

function editor() {
  const shown = { title: "", page: { html: "" }, failures: [] };
  return {
    shown,
    open: (title) => ((shown.title = title), shown.page),
    fail: (words) => shown.failures.push(words),
  };
}

test("a page is shown, and nothing in it can run", async () => {
  const screen = editor();
  const page = { headline: "a: differs\nb: equivalent", html: "<html><head><title>x</title></head></html>" };
  assert.equal(await compared(async () => page, screen), page);
  assert.equal(screen.shown.title, "a: differs");
  assert.match(screen.shown.page.html, /^<html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'/);
  assert.deepEqual(screen.shown.failures, []);
});

test("a refusal is said in its words", async () => {
  const screen = editor();
  const refuse = async () => {
    throw Object.assign(new Error("a.kif was never saved"), { code: -32803 });
  };
  assert.equal(await compared(refuse, screen), undefined);
  assert.deepEqual(screen.shown.failures, ["a.kif was never saved"]);
  assert.equal(screen.shown.title, "");
});

test("of what was cancelled nothing is said", async () => {
  const screen = editor();
  const cancel = async () => {
    throw Object.assign(new Error("canceled"), { code: -32800 });
  };
  assert.equal(await compared(cancel, screen), undefined);
  assert.deepEqual(screen.shown.failures, []);
});
