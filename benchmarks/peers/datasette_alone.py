"""Datasette with the fixed routes and nothing else, as uvicorn serves it: a ceiling not of our making."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from datasette.app import Datasette


def application() -> Any:
    fixed = Path(__file__).parents[1] / "fixed"
    database = os.environ["MOUVEMENTS_PEER_DB"]
    return Datasette([database], plugins_dir=str(fixed)).app()
