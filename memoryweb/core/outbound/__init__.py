"""Calls to addresses that people entered, with no way into the network that we stand in. Pure."""
