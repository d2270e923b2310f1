"""`python -m datasette_mouvements`: the command group where the package is not installed, as in a published image."""

from .cli import mouvements

mouvements(prog_name="python -m datasette_mouvements")
