; The last pattern that fits a node decides.

(symbol) @constant
(quoted) @string
(string) @string
(variable) @variable
(comment) @comment

(compound name: (symbol) @function)

((compound name: (symbol) @keyword)
 (#match? @keyword "^([Rr][Oo][Ll][Ee]|[Ii][Nn][Ii][Tt]|[Tt][Rr][Uu][Ee]|[Dd][Oo][Ee][Ss]|[Nn][Ee][Xx][Tt]|[Ll][Ee][Gg][Aa][Ll]|[Gg][Oo][Aa][Ll]|[Bb][Aa][Ss][Ee]|[Ii][Nn][Pp][Uu][Tt]|[Ss][Ee][Ee][Ss])$"))

((symbol) @keyword
 (#match? @keyword "^[Tt][Ee][Rr][Mm][Ii][Nn][Aa][Ll]$"))

((symbol) @number
 (#match? @number "^-?[0-9]+$"))

["not" "or" "and" "distinct"] @keyword.operator
"<=" @operator
["(" ")"] @punctuation.bracket
