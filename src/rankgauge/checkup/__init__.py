"""The checkup of a golden set: what is wrong or weak in it, how much, and what to do."""
