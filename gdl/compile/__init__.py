"""Rules to circuit: ground them, build an and-inverter graph, make it small."""
