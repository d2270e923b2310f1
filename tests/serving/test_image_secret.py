"""The secret that stands in an image's Dockerfile, and one that the host gives."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from datasette.utils import make_dockerfile

from datasette_mouvements.serving.startup import warn_of_image_secret


def dockerfile(secret: str) -> str:
    """What Datasette writes for an image."""
    nothing: dict[str, object] = dict.fromkeys(
        ("metadata_file", "extra_options", "branch", "template_dir", "plugins_dir", "version_note")
    )
    return str(
        make_dockerfile(["m.db"], static=[], install=[], spatialite=False, secret=secret, **nothing)
    )


@pytest.mark.parametrize(
    ("given", "image", "told"),
    [("made", "made", 1), ("given", "made", 0), ("", "made", 0), ("given", "", 0)],
)
def test_it_is_told_only_where_the_image_s_own_is_used(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    given: str,
    image: str,
    told: int,
) -> None:
    if image:
        (tmp_path / "Dockerfile").write_text(dockerfile(image), encoding="utf-8")
    monkeypatch.setenv("DATASETTE_SECRET", given)
    with caplog.at_level(logging.WARNING):
        warn_of_image_secret(tmp_path)
    assert len(caplog.records) == told
