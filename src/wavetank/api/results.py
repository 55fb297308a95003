from __future__ import annotations

from pathlib import Path

from wavetank.api.printing import printed
from wavetank.report.notebook import notebook_html
from wavetank.report.plots.experiment import ExperimentPlots
from wavetank.report.table import summary_table
from wavetank.results.layout import REPORT
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.read.tables import ResultTables
from wavetank.results.verdict.verdict import Verdict, experiment_verdict


class Results(ResultTables):
    """The results of an experiment: tables, a report, and a comparison that a notebook displays.

    `owner` is kept as long as this object, because a temporary folder is removed with its owner.
    """

    def __init__(self, folder: Path, owner: object = None) -> None:
        super().__init__(folder)
        self._owner = owner

    @property
    def report(self) -> Path:
        """Returns the path of the HTML report."""
        return self.folder / REPORT

    @property
    def plot(self) -> ExperimentPlots:
        """Returns pictures of the results, drawn by matplotlib: `results.plot.waits()` and others."""
        return ExperimentPlots(self.folder, self)

    def verdict(self) -> Verdict:
        """Returns what was found, in sentences: `print(results.verdict())`."""
        return experiment_verdict(ResultsFolder(self.folder))

    def __str__(self) -> str:
        return printed(summary_table(self.folder))

    def _repr_html_(self) -> str:
        return notebook_html(self.folder)
