"""The example notebook, executed as Jupyter does."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "examples" / "notebook"


@pytest.fixture
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps files of IPython and Jupyter out of the home folder."""
    for variable in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable))


@pytest.mark.usefixtures("_own_folders")
def test_the_notebook_runs_and_shows_frames_and_pictures() -> None:
    notebook = nbformat.read(FOLDER / "tour.ipynb", as_version=4)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in cells), "the notebook is kept without outputs"
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": FOLDER}}).execute()
    shown = [set(output.get("data", ())) for cell in cells for output in cell.outputs]
    assert sum("image/png" in kinds for kinds in shown) == 5
    assert sum("text/html" in kinds for kinds in shown) == 4
    printed = "".join(output.text for cell in cells for output in cell.outputs if output.output_type == "stream")
    for text in ("default → FewestPods: metrics", "drain b-0", "nodes"):
        assert text in printed
