"""The protocol of the General Game Playing world: a player to be asked, a manager that asks.

`messages` reads and writes what is said, `wire` carries it; `spelling` keeps names as the rules
write them, `s_expressions` passes texts on that nobody need read. `server` answers for a player:
of its `matches` each runs in a `process` that `worker` is, where `seat` is what the player knows
and `belief` which states it must reckon with. `manager` asks, may `scramble` the words of a game,
and keeps a `record`. Nothing here needs more than the core install.

Source: the messages of ggp-base and, for GDL-II, of the Dresden game server.
"""
