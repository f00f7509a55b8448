// Each grammar is run as the editor runs it: TextMate rules on Oniguruma.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")).buffer);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async (scope) => {
    const path = new URL(`../syntaxes/${scope.split(".")[1]}.tmLanguage.json`, import.meta.url);
    return textmate.parseRawGrammar(readFileSync(path, "utf8"), path.pathname);
  },
});

/** Return the pieces of a line that are not blank, each with the first words of its scope. */
async function pieces(scope, line) {
  const grammar = await registry.loadGrammar(scope);
  return grammar
    .tokenizeLine(line, textmate.INITIAL)
    .tokens.map((each) => [
      line.slice(each.startIndex, each.endIndex).trim(),
      each.scopes.at(-1).split(".").slice(0, 2).join("."),
    ])
    .filter(([text, scope]) => text !== "" && !scope.startsWith("punctuation"));
}

test("a rule in prefix notation", async () => {
  assert.deepEqual(await pieces("source.kif", "(<= (legal ?p (mark ?x 1)) (NOT (true (cell a b)))) ; x"), [
    ["<=", "keyword.operator"],
    ["legal", "keyword.other"],
    ["?p", "variable.parameter"],
    ["mark", "entity.name"],
    ["?x", "variable.parameter"],
    ["1", "constant.numeric"],
    ["NOT", "keyword.operator"],
    ["true", "keyword.other"],
    ["cell", "entity.name"],
    ["a", "constant.other"],
    ["b", "constant.other"],
    ["; x", "comment.line"],
  ]);
});

test("words that only look like others", async () => {
  assert.deepEqual(await pieces("source.kif", "(<= terminal (terminals 1a) (trueish ?true))"), [
    ["<=", "keyword.operator"],
    ["terminal", "keyword.other"],
    ["terminals", "entity.name"],
    ["1a", "constant.other"],
    ["trueish", "entity.name"],
    ["?true", "variable.parameter"],
  ]);
});

test("what stands between bars", async () => {
  assert.deepEqual(await pieces("source.kif", "(name |a (b) ; c| ?|x y|)"), [
    ["name", "entity.name"],
    ["|a (b) ; c|", "constant.other"],
    ["?|x y|", "variable.parameter"],
  ]);
});

test("a rule in infix notation", async () => {
  assert.deepEqual(await pieces("source.hrf", "legal(P,mark(?X,1)) :- ~true(cell('a b',c)) & _x. % y"), [
    ["legal", "keyword.other"],
    ["P", "variable.parameter"],
    ["mark", "entity.name"],
    ["?X", "variable.parameter"],
    ["1", "constant.numeric"],
    [":-", "keyword.operator"],
    ["~", "keyword.operator"],
    ["true", "keyword.other"],
    ["cell", "entity.name"],
    ["'a b'", "constant.other"],
    ["c", "constant.other"],
    ["&", "keyword.operator"],
    ["_x", "variable.parameter"],
    ["% y", "comment.line"],
  ]);
});
