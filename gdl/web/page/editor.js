// The rule editor: CodeMirror with the language of rules, and what the server says is wrong in place.
//
// In: check(text), which returns diagnostics with spans. Out: changed(text, answer). What is wrong
// is underlined, told where the pointer or the cursor is, and listed below with a way to get there.

import {
  autocompletion, bracketMatching, closeBrackets, closeBracketsKeymap, completionKeymap,
  defaultKeymap, drawSelection, EditorState, EditorView, highlightActiveLine,
  highlightActiveLineGutter, highlightSelectionMatches, HighlightStyle, history, historyKeymap,
  keymap, lineNumbers, lintGutter, lintKeymap, search, searchKeymap, setDiagnostics,
  syntaxHighlighting, tags,
} from "./codemirror.js";
import { complete, isInfix, modes } from "./language.js";

const WAIT_MS = 250;
const SEVERITIES = { error: "error", warning: "warning", hint: "info" };

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.keyword, color: "var(--chosen)", fontWeight: "600" },
  { tag: tags.operatorKeyword, color: "var(--new)", fontWeight: "600" },
  { tag: tags.variableName, color: "var(--open)" },
  { tag: tags.typeName, color: "var(--ink)", fontWeight: "600" },
  { tag: tags.atom, color: "var(--ink)", fontWeight: "400" }, // of CodeMirror's tags it is a keyword
  { tag: tags.number, color: "var(--warn)" },
  { tag: tags.string, color: "var(--warn)" },
  { tag: tags.paren, color: "var(--soft)" },
]);

export class RuleEditor {
  // host: where the editor is put; list and told: where what is wrong is told.
  constructor({ host, list, told, check, changed = () => {} }) {
    Object.assign(this, { list, told, check, changed });
    this.diagnostics = [];
    this.run = 0;
    this.language = "kif";
    this.view = new EditorView({ parent: host, state: this.begin("") });
    this.view.scrollDOM.tabIndex = 0; // what is scrolled is reached by the keyboard
    Object.defineProperty(this.view.contentDOM, "value", {
      get: () => this.text,
      set: (text) => this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } }),
    });
  }

  // A text that is new has no history, and its own notation.
  begin(text) {
    this.language = isInfix(text) ? "hrf" : "kif";
    return EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        lintGutter(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        search({ top: true }),
        highlightSelectionMatches(),
        autocompletion({ override: [complete], icons: false }),
        modes[this.language],
        syntaxHighlighting(colours),
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap]),
        EditorState.tabSize.of(4),
        EditorView.contentAttributes.of({ id: "text", "aria-label": "Rules", "aria-describedby": "told", spellcheck: "false", autocapitalize: "off" }),
        EditorView.updateListener.of((update) => this.updated(update)),
      ],
    });
  }

  updated({ docChanged, selectionSet, focusChanged }) {
    if (docChanged) this.later();
    if (docChanged || selectionSet || focusChanged) this.tell();
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(value) {
    this.view.setState(this.begin(value));
    this.later(0);
  }

  later(wait = WAIT_MS) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), wait);
  }

  async now() {
    const run = ++this.run;
    const text = this.text;
    if ((isInfix(text) ? "hrf" : "kif") !== this.language) return this.turn(text);
    let answer;
    try {
      answer = await this.check(text);
    } catch (problem) {
      const told = { severity: "error", slug: problem.code ?? "unreachable", message: problem.message, span: null, text: problem.message };
      answer = { diagnostics: [told], seats: [] };
    }
    if (run !== this.run || text !== this.text) return null;
    this.draw(answer.diagnostics);
    return this.changed(text, answer);
  }

  // The other notation was pasted or begun: read the text anew, the cursor where it was.
  turn(text) {
    const { selection } = this.view.state;
    const hadFocus = this.view.hasFocus;
    this.view.setState(this.begin(text));
    this.view.dispatch({ selection });
    if (hadFocus) this.view.focus();
    return this.now();
  }

  draw(diagnostics) {
    this.diagnostics = diagnostics;
    const at = placesIn(this.text);
    const marks = diagnostics.filter(({ span }) => span).map((each) => {
      const from = at(each.span.start);
      return { from, to: Math.max(at(each.span.stop), from), severity: SEVERITIES[each.severity], source: each.slug, message: words(each) };
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
    this.drawList();
    this.tell();
  }

  drawList() {
    this.list.replaceChildren();
    for (const each of this.diagnostics) {
      const row = document.createElement("li");
      const link = document.createElement("button");
      link.type = "button";
      link.className = `diagnostic ${each.severity}`;
      const where = each.span ? `${each.span.line}:${each.span.column} ` : "";
      link.textContent = `${where}${each.severity}: ${each.message}`;
      link.addEventListener("click", () => this.jump(each));
      row.append(link);
      this.list.append(row);
    }
    if (!this.diagnostics.length) {
      const row = document.createElement("li");
      row.textContent = this.text.trim() ? "Nothing is wrong." : "Type or paste rules in KIF or HRF.";
      this.list.append(row);
    }
  }

  jump({ span }) {
    if (!span) return;
    const at = placesIn(this.text);
    this.view.focus();
    this.view.dispatch({ selection: { anchor: at(span.start), head: at(span.stop) }, effects: EditorView.scrollIntoView(at(span.start), { y: "center" }) });
  }

  // What is wrong where the cursor stands.
  tell() {
    const at = placesIn(this.text);
    const cursor = this.view.state.selection.main.from;
    const here = this.diagnostics.filter(({ span }) => span && at(span.start) <= cursor && cursor <= Math.max(at(span.stop), at(span.start) + 1));
    this.told.textContent = here.map((each) => `${each.severity}: ${words(each)}`).join("\n\n");
  }
}

function words({ message, expected, help }) {
  return [message, expected ? `expected: ${expected}` : "", help ? `help: ${help}` : ""].filter(Boolean).join("\n");
}

// Spans count code points, as the server does; the editor counts code units.
function placesIn(text) {
  if (!/[\ud800-\udfff]/.test(text)) return (point) => Math.min(point, text.length);
  const units = [0];
  for (const point of text) units.push(units.at(-1) + point.length);
  return (point) => units[Math.min(point, units.length - 1)];
}
