"""Lets `python -m rankgauge` do what `rankgauge` does."""

from rankgauge.cli import main

main()
