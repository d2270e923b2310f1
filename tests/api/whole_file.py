"""The movements in the file of everything, as its CSV has them."""

from __future__ import annotations

import csv
import io
import zipfile

from tests.contract.service import Answer


def movements(answer: Answer) -> list[dict[str, str]]:
    """The rows of `mouvements.csv` in the answer."""
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        text = archive.read("mouvements.csv").decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))
