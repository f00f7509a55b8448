"""The protocol of the General Game Playing world: a player to be asked, a manager that asks.

`messages` reads and writes what is said, `wire` carries it, `seat` is what a player knows of
its match, `server` answers, `manager` asks and keeps a `record`. Nothing here needs more
than the core install.

Source: the messages of ggp-base and, for GDL-II, of the Dresden game server.
"""
