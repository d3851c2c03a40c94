"""Studies of a retrieval engine: what a choice gains, what it takes, and which to take."""
