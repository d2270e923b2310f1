"""A warning where cookies are signed with the secret that `datasette publish` writes into an image."""

from __future__ import annotations

import logging
import os
from pathlib import Path

log = logging.getLogger(__name__)


def warn_of_image_secret(folder: Path) -> None:
    """Log a warning if DATASETTE_SECRET is the one in `folder`'s Dockerfile, which Datasette copies into its images."""
    try:
        dockerfile = (folder / "Dockerfile").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    secret = os.environ.get("DATASETTE_SECRET")
    if secret and f"ENV DATASETTE_SECRET '{secret}'" in dockerfile:
        # To do: give the host a DATASETTE_SECRET of its own.
        log.warning(
            "cookies are signed with the secret of the image: whoever has the image can sign in as"
            " anybody, and each deploy signs everybody out. Give the host a DATASETTE_SECRET"
        )
