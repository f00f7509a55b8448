// GDL for the rule editor: colours of KIF and HRF, and what a word may become.
//
// In: a text. Out: a mode of CodeMirror and a source of completions. What is wrong with a text is
// the server's to say; here nothing is parsed, words are only told apart.

import { snippetCompletion, StreamLanguage } from "./codemirror.js";

const KEYWORDS = {
  role: ["(role R): R is a player", "role(#{R})"],
  init: ["(init F): F holds at first", "init(#{F})"],
  true: ["(true F): F holds now", "true(#{F})"],
  next: ["(next F): F holds after the move", "next(#{F})"],
  legal: ["(legal R M): R may make the move M", "legal(#{R}, #{M})"],
  does: ["(does R M): R makes the move M", "does(#{R}, #{M})"],
  goal: ["(goal R N): what R gets, 0 to 100", "goal(#{R}, #{N})"],
  terminal: ["the game is over", "terminal"],
  sees: ["(sees R P): what R is told (GDL-II)", "sees(#{R}, #{P})"],
  base: ["(base F): what can hold", "base(#{F})"],
  input: ["(input R M): what R could ever do", "input(#{R}, #{M})"],
  distinct: ["(distinct X Y): two different things", "distinct(#{X}, #{Y})"],
  not: ["(not L): L does not hold", "~#{L}"],
  or: ["(or L L): one of them holds", "(#{L} | #{L})"],
  and: ["(and L L): both hold", "#{L} & #{L}"],
};
const OPERATORS = new Set(["distinct", "not", "or", "and"]);
const WORD = { kif: /\??[^\s();"|?]+/g, hrf: /[A-Za-z_][A-Za-z0-9_]*/g };

// Whether a text is written infix: the first thing that is no comment begins no bracket.
export function isInfix(text) {
  const first = text.replace(/^(\s|[;%].*(\n|$))+/, "");
  return first !== "" && !first.startsWith("(") && (/:-|^[a-z]\w*\s*\(/.test(first) || text.trimStart().startsWith("%"));
}

const kif = {
  name: "kif",
  startState: () => ({ isHead: false }),
  token(stream, state) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^;.*/)) return "comment";
    if (stream.match(/^\|(?:[^|\\]|\\.)*\|?/)) return ended(state, "string");
    if (stream.match(/^\?(?:\|(?:[^|\\]|\\.)*\||[^\s();|"]+)/)) return ended(state, "variableName");
    if (stream.eat("(")) {
      state.isHead = true;
      return "paren";
    }
    if (stream.eat(")")) return ended(state, "paren");
    if (!stream.match(/^[^\s();?|"]+/)) {
      stream.next();
      return null;
    }
    const word = stream.current().toLowerCase();
    const isHead = state.isHead;
    state.isHead = false;
    if (word === "<=" || (isHead && OPERATORS.has(word))) return "operatorKeyword";
    if (word in KEYWORDS && !OPERATORS.has(word)) return "keyword";
    if (/^\d+$/.test(word)) return "number";
    return isHead ? "typeName" : "atom";
  },
  languageData: { commentTokens: { line: ";" }, closeBrackets: { brackets: ["("] } },
};

function ended(state, kind) {
  state.isHead = false;
  return kind;
}

const hrf = {
  name: "hrf",
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^%.*/)) return "comment";
    if (stream.match(/^\?(?:'(?:[^'\\]|\\.)*'|\w+)/) || stream.match(/^[A-Z_]\w*/)) return "variableName";
    if (stream.match(/^'(?:[^'\\]|\\.)*'?/)) return "string";
    if (stream.match(/^(:-|[&|~])/)) return "operatorKeyword";
    if (stream.match(/^\d+\b/)) return "number";
    if (stream.match(/^[()]/)) return "paren";
    if (!stream.match(/^\w+/)) {
      stream.next();
      return null;
    }
    const word = stream.current();
    if (OPERATORS.has(word)) return "operatorKeyword";
    if (word in KEYWORDS) return "keyword";
    return stream.peek() === "(" ? "typeName" : "atom";
  },
  languageData: { commentTokens: { line: "%" }, closeBrackets: { brackets: ["("] } },
};

export const modes = { kif: StreamLanguage.define(kif), hrf: StreamLanguage.define(hrf) };

// The rule around a place: from the line that begins one to the line that begins the next.
function ruleAround(lines, number, infix) {
  const begins = (line) => (infix ? /^\S/.test(line) : /^\(/.test(line));
  let first = number;
  while (first > 0 && !begins(lines[first])) first--;
  let last = number + 1;
  while (last < lines.length && !begins(lines[last])) last++;
  return lines.slice(first, last).join("\n");
}

// Completions: words of the language, names of this text, and the variables of this rule.
export function complete(context) {
  const text = context.state.doc.toString();
  const infix = isInfix(text);
  const word = context.matchBefore(infix ? /[?A-Za-z_][A-Za-z0-9_]*/ : /\??[^\s();"|?]*/);
  if (!word || (word.from === word.to && !context.explicit)) return null;
  const before = text.slice(0, word.from).split("\n").at(-1);
  if (/[;%]/.test(before)) return null; // in a comment
  const options = new Map();
  const add = (label, option) => label !== word.text && !options.has(label) && options.set(label, { label, ...option });
  const line = context.state.doc.lineAt(word.from).number - 1;
  const isVariable = infix ? /^[A-Z_]/ : /^\?/;
  for (const [found] of ruleAround(text.split("\n"), line, infix).matchAll(WORD[infix ? "hrf" : "kif"])) {
    if (isVariable.test(found)) add(found, { type: "variable", detail: "of this rule", boost: 1 });
  }
  for (const [keyword, [info, infixed]] of Object.entries(KEYWORDS)) {
    const option = { type: "keyword", detail: info };
    if (infix) options.set(keyword, snippetCompletion(infixed, { label: keyword, ...option }));
    else add(keyword, option);
  }
  const words = text.replace(infix ? /%.*/g : /;.*/g, "").matchAll(WORD[infix ? "hrf" : "kif"]);
  for (const [found] of words) {
    if (!isVariable.test(found) && !/^(\d+|<=|:-)$/.test(found)) add(found, { type: "constant" });
  }
  return { from: word.from, options: [...options.values()], validFor: infix ? /^[?\w]*$/ : /^\??[^\s();"|?]*$/ };
}
