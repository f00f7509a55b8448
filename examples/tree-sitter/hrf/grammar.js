// HRF, the infix notation of GDL: legal(P,mark(X)) :- role(P) & ~true(cell(X,b)).
//
// The final period may be left out. "," between literals is "&"; "|" binds looser than both. The
// prefix forms or(p), and() have operands where infix signs have one too many, or none.

const separated = (sign, what) => seq(what, repeat(seq(sign, what)));
const infix = (sign, what) => seq(what, repeat1(seq(sign, what)));

module.exports = grammar({
  name: "hrf",

  word: ($) => $.name,

  extras: ($) => [/\s/, $.comment],

  rules: {
    source_file: ($) => repeat($.rule),

    rule: ($) =>
      choice(
        seq(field("head", $._atom), optional(".")),
        seq(field("head", $._atom), $._arrow, "."),
        seq(field("head", $._atom), $._arrow, $._body, optional(".")),
      ),

    _arrow: (_) => choice(":-", "<="),

    _body: ($) => choice($._conjoined, $.disjunction),

    disjunction: ($) => infix("|", $._conjoined),

    _conjoined: ($) => choice($._literal, $.conjunction),

    conjunction: ($) => infix(choice("&", ","), $._literal),

    _literal: ($) => choice($.negation, $.bracketed, $.prefix, $._atom),

    negation: ($) => seq(choice("~", "not"), $._literal),

    bracketed: ($) => seq("(", $._body, ")"),

    prefix: ($) =>
      seq(
        field("sign", choice("and", "or")),
        "(",
        optional(separated(",", $._operand)),
        ")",
      ),

    _operand: ($) => choice($._and_operand, alias($._or_operand, $.disjunction)),

    _or_operand: ($) => infix("|", $._and_operand),

    _and_operand: ($) => choice($._literal, alias($._conjoined_operand, $.conjunction)),

    _conjoined_operand: ($) => infix("&", $._literal),

    _atom: ($) => choice($.name, $.quoted, $.compound),

    compound: ($) =>
      seq(field("name", choice($.name, $.quoted)), "(", separated(",", $._term), ")"),

    _term: ($) => choice($.name, $.quoted, $.number, $.variable, $.compound),

    name: (_) => /[a-z][A-Za-z0-9_]*/,

    number: (_) => /-?[0-9]+/,

    variable: (_) =>
      /[A-Z][A-Za-z0-9_]*|_[A-Za-z0-9_]*|\?[A-Za-z0-9_]+|\?'([^'\\\r\n]|\\[^\r\n])*'/,

    quoted: (_) => /'([^'\\\r\n]|\\[^\r\n])*'/,

    comment: (_) => /%[^\r\n]*/,
  },
});
