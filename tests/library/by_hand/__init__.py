"""Engines written by hand from the rule texts, without a look at the rules that they are held to.

Each answers the six questions of `gdl.conform.reference`, draws a position that play hardly comes
to, and says in our facts where a position stands: `tests.library.test_by_hand` walks from there.
"""
