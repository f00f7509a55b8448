"""How fast it is, beside what others reach in the same run on the same core.

`game` sends one game through every back end, `start` measures fresh processes, `environment` many
games at once from Python, `peers` other programs that play the same; `measure` is a rate with its
spread, `page` writes it all down.
"""
