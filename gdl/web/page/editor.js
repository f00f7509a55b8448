// A text field for rules with what is wrong drawn into it, and told under the cursor.
//
// In: check(text), which returns diagnostics with spans. Out: changed(text, answer). What
// is marked lies on a copy of the text behind the field, so that typing stays the browser's own.

const WAIT_MS = 250;

export class RuleEditor {
  constructor({ field, backdrop, list, told, check, changed = () => {} }) {
    Object.assign(this, { field, backdrop, list, told, check, changed });
    this.diagnostics = [];
    this.run = 0;
    field.addEventListener("input", () => this.later());
    field.addEventListener("scroll", () => this.scroll());
    for (const name of ["keyup", "click", "focus", "select"]) {
      field.addEventListener(name, () => this.tell());
    }
  }

  get text() {
    return this.field.value;
  }

  set text(value) {
    this.field.value = value;
    this.draw([]);
    this.later(0);
  }

  later(wait = WAIT_MS) {
    clearTimeout(this.timer);
    this.draw([]);
    this.timer = setTimeout(() => this.now(), wait);
  }

  async now() {
    const run = ++this.run;
    const text = this.text;
    let answer;
    try {
      answer = await this.check(text);
    } catch (problem) {
      const told = { severity: "error", slug: problem.code ?? "unreachable", message: problem.message, span: null, text: problem.message };
      answer = { diagnostics: [told], seats: [] };
    }
    if (run !== this.run || text !== this.text) return;
    this.draw(answer.diagnostics);
    this.changed(text, answer);
  }

  draw(diagnostics) {
    this.diagnostics = diagnostics;
    const text = this.text;
    const points = [...text]; // spans count code points, as the server does
    const spans = diagnostics
      .filter((each) => each.span)
      .map((each) => ({ start: each.span.start, stop: Math.max(each.span.stop, each.span.start + 1), each }))
      .sort((a, b) => a.start - b.start || b.stop - a.stop);
    this.backdrop.replaceChildren();
    let at = 0;
    for (const { start, stop, each } of spans) {
      if (start < at) continue;
      this.backdrop.append(points.slice(at, start).join(""));
      const mark = document.createElement("mark");
      mark.className = each.severity;
      mark.textContent = points.slice(start, stop).join("") || " ";
      this.backdrop.append(mark);
      at = stop;
    }
    this.backdrop.append(`${points.slice(at).join("")}\n`);
    this.scroll();
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

  jump(diagnostic) {
    if (!diagnostic.span) return;
    const points = [...this.text];
    const start = points.slice(0, diagnostic.span.start).join("").length;
    const stop = points.slice(0, diagnostic.span.stop).join("").length;
    this.field.focus();
    this.field.setSelectionRange(start, stop);
    const line = parseFloat(getComputedStyle(this.field).lineHeight) || 20;
    this.field.scrollTop = Math.max(0, (diagnostic.span.line - 4) * line);
    this.tell();
  }

  // What is wrong where the cursor stands.
  tell() {
    const cursor = [...this.text.slice(0, this.field.selectionStart)].length;
    const here = this.diagnostics.filter(
      ({ span }) => span && span.start <= cursor && cursor <= Math.max(span.stop, span.start + 1),
    );
    this.told.textContent = here
      .map((each) =>
        [
          `${each.severity}: ${each.message}`,
          each.expected ? `expected: ${each.expected}` : "",
          each.help ? `help: ${each.help}` : "",
        ]
          .filter(Boolean)
          .join("\n"),
      )
      .join("\n\n");
  }

  scroll() {
    this.backdrop.scrollTop = this.field.scrollTop;
    this.backdrop.scrollLeft = this.field.scrollLeft;
  }
}
