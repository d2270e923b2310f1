"""What --plugins-dir loads: registers the package beside this file (or the installed one), once."""

import importlib
import sys
from pathlib import Path

from datasette.plugins import pm

NAME = "datasette_mouvements"
try:
    package = importlib.import_module(NAME)
except ModuleNotFoundError as missing:
    if missing.name != NAME:  # a dependency is missing: say which
        raise
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    package = importlib.import_module(NAME)
if not pm.is_registered(package):
    pm.register(package, name=NAME)
