"""The command line: `rankgauge VERB`. Data goes to stdout, talk to stderr."""

from rankgauge.cli.app import main

__all__ = ["main"]
