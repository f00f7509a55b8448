// Prints what a grammar of tree-sitter says, as JSON: node grammar_json.mjs GRAMMAR.JS
import { createRequire } from "node:module";

const rule = (value) => {
  if (typeof value === "string") return { type: "STRING", value };
  if (value instanceof RegExp) return { type: "PATTERN", value: value.source };
  return value;
};
const members = (type) => (...values) => ({ type, members: values.map(rule) });
const content = (type) => (value) => ({ type, content: rule(value) });
const $ = new Proxy({}, { get: (_, name) => ({ type: "SYMBOL", name }) });

Object.assign(globalThis, {
  seq: members("SEQ"),
  choice: members("CHOICE"),
  repeat: content("REPEAT"),
  repeat1: content("REPEAT1"),
  optional: content("OPTIONAL"),
  field: (name, value) => ({ type: "FIELD", name, content: rule(value) }),
  alias: (value, name) => ({ type: "ALIAS", content: rule(value), value: name.name ?? name, named: typeof name !== "string" }),
  grammar: ({ name, word, extras, rules }) => ({
    name,
    word: word($).name,
    extras: extras($).map(rule),
    rules: Object.fromEntries(Object.entries(rules).map(([key, made]) => [key, rule(made($))])),
  }),
});

console.log(JSON.stringify(createRequire(import.meta.url)(process.argv[2])));
