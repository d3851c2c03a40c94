"""Search engines that run elsewhere, as first stages: each through its own client, which the caller has opened."""
