"""Statistics over queries: intervals, paired tests, corrections, effect sizes, power. They read numbers, not runs."""
