"""How fast it is, beside what others reach in the same run on the same core."""
