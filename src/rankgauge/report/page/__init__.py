"""The HTML report of a comparison: one page that holds all it needs."""

from rankgauge.report.page.document import save_page

__all__ = ["save_page"]
