"""How hypothesis works here: no deadline, since a busy machine is no fault, and the same inputs in every CI run."""

import os

import hypothesis

hypothesis.settings.register_profile("house", deadline=None, derandomize="CI" in os.environ, print_blob=True)
hypothesis.settings.load_profile("house")
