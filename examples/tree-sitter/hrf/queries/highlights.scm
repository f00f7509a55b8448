; The last pattern that fits a node decides.

(name) @constant
(quoted) @string
(number) @number
(variable) @variable
(comment) @comment

(compound name: (name) @function)

((compound name: (name) @keyword)
 (#match? @keyword "^(role|init|true|does|next|legal|goal|base|input|sees|distinct)$"))

((name) @keyword
 (#eq? @keyword "terminal"))

["not" "~" "or" "and" "&" "|"] @keyword.operator
[":-" "<="] @operator
["(" ")"] @punctuation.bracket
["," "."] @punctuation.delimiter
