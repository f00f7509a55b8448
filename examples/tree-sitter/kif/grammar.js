// KIF, the prefix notation of GDL: (<= (legal ?p noop) (role ?p)).
//
// What a list means depends on where it stands, so `(or a b)` is a disjunction in a body, and a
// term with the name "or" among arguments. Words of the language may be written in capitals.

const anyCase = (word) =>
  alias(new RegExp([...word].map((c) => `[${c}${c.toUpperCase()}]`).join("")), word);

module.exports = grammar({
  name: "kif",

  word: ($) => $.symbol,

  extras: ($) => [/\s/, $.comment],

  rules: {
    source_file: ($) => repeat(choice($.rule, $._sentence)),

    rule: ($) => seq("(", "<=", field("head", $._sentence), repeat($._formula), ")"),

    _formula: ($) =>
      choice($.negation, $.disjunction, $.conjunction, $.distinct, $._sentence),

    negation: ($) => seq("(", anyCase("not"), $._formula, ")"),

    disjunction: ($) => seq("(", anyCase("or"), repeat($._formula), ")"),

    conjunction: ($) => seq("(", anyCase("and"), repeat($._formula), ")"),

    distinct: ($) => seq("(", anyCase("distinct"), $._term, $._term, ")"),

    _sentence: ($) => choice($._constant, $.compound),

    _term: ($) => choice($._constant, $.compound, $.variable),

    compound: ($) => seq("(", field("name", $._constant), repeat($._term), ")"),

    _constant: ($) => choice($.symbol, $.quoted, $.string),

    symbol: (_) => /[^\s()|;"?][^\s()|;"]*/,

    quoted: (_) => /\|([^|\\\r\n]|\\[^\r\n])*\|/,

    string: (_) => /"[^"\r\n]*"/,

    variable: (_) => /\?([^\s()|;"]+|\|([^|\\\r\n]|\\[^\r\n])*\|)/,

    comment: (_) => /;[^\r\n]*/,
  },
});
