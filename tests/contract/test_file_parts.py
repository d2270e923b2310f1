"""Parts of the site's files, and parameters of files and feeds: which are taken, what they cost."""

from __future__ import annotations

import pytest

from .service import Headers, Service, Start, used
from .situations import NewKey
from .test_files import EVERYTHING, had
from .test_files import key as key

rule = pytest.mark.rule


@pytest.mark.ways("in-process", "serve")
@rule("files-range")
def test_a_part_is_that_part_for_one_charge(service: Service, key: Headers) -> None:
    whole = service.ask(EVERYTHING, key)
    size = len(whole.body)
    assert had(whole, "Accept-Ranges") == "bytes"
    parts = {
        "bytes=0-0": (0, 1),
        "bytes=10-19": (10, 20),
        "bytes=-7": (size - 7, size),
        "BYTES=5-": (5, size),
        f"bytes=3-{size + 50}": (3, size),
        f"bytes=-{size + 50}": (0, size),
        f"bytes={size}-,0-4": (0, 5),
    }
    for number, (asked, (start, end)) in enumerate(parts.items(), 2):
        part = service.ask(EVERYTHING, key | {"Range": asked, "If-Range": had(whole, "ETag")})
        assert (part.status, part.body) == (206, whole.body[start:end]), asked
        assert had(part, "Content-Range") == f"bytes {start}-{end - 1}/{size}"
        assert had(part, "ETag") == had(whole, "ETag")
        assert used(service, key) == number


@rule("files-range")
@pytest.mark.parametrize(
    "asked",
    [
        *(
            "lines=0-4",
            "bytes=-",
            "bytes=4-2",
            "bytes=a-b",
            "bytes=1-2,x",
            "bytes 0-4",
            "bytes=١-٢",
        ),
        *("bytes=+1-2", "bytes=0-0," + "9" * 30 + "-", "bytes=0-1,".ljust(5000, "0")),
        "bytes=" + ",".join(f"{2 * n}-{2 * n}" for n in range(17)),
    ],
)
def test_parts_that_are_none_and_very_many_parts_are_the_whole_file(
    service: Service, reader: Headers, asked: str
) -> None:
    encoded = asked.encode().decode("latin-1")
    answer = service.ask(EVERYTHING, reader | {"Range": encoded})
    assert (answer.status, len(answer.body)) == (200, int(had(answer, "Content-Length")))


@rule("files-range")
def test_a_part_beyond_the_end_is_a_416_that_costs_nothing(service: Service, key: Headers) -> None:
    size = len(service.ask(EVERYTHING, key).body)
    for asked in (f"bytes={size}-", "bytes=-0"):
        answer = service.ask(EVERYTHING, key | {"Range": asked})
        assert answer.status == 416
        assert had(answer, "Content-Range") == f"bytes */{size}"
        assert answer.json()["type"].endswith("#partie-hors-du-fichier")
        assert had(answer, "X-RateLimit-Remaining") == "999"
    assert used(service, key) == 1


@rule("files-range")
def test_a_part_is_only_of_the_very_file_that_the_client_has_begun(
    service: Service, reader: Headers
) -> None:
    whole = service.ask(EVERYTHING, reader)
    part = {"Range": "bytes=0-9"}
    tag = had(whole, "ETag")
    for condition in ('"x"', f"W/{tag}", tag.strip('"'), had(whole, "Last-Modified")):
        answer = service.ask(EVERYTHING, reader | part | {"If-Range": condition})
        assert (answer.status, answer.body) == (200, whole.body)


@pytest.mark.ways("plugins-dir")
@rule("files-range")
def test_where_parts_cannot_be_sent_the_file_says_so_and_is_whole(
    service: Service, reader: Headers
) -> None:
    answer = service.ask(EVERYTHING, reader | {"Range": "bytes=0-9"})
    assert (answer.status, had(answer, "Accept-Ranges")) == (200, "none")
    assert len(answer.body) == int(had(answer, "Content-Length")) > 10


@rule("files-parameters", "decisions-not-charged", "decisions-unknown-parameter")
@pytest.mark.parametrize("target", [EVERYTHING, "/v1/quota", "/v1/couverture"])
def test_a_parameter_too_many_is_refused_and_costs_nothing(
    service: Service, new_key: NewKey, target: str
) -> None:
    key = new_key(service)
    for method in ("GET", "HEAD"):
        answer = service.ask(f"{target}?chambre=senat", key, method)
        assert (answer.status, answer.remaining, used(service, key)) == (400, 1000, 0)
    assert service.ask(f"{target}?chambre=senat", key).json()["parametre"] == "chambre"
    assert service.ask(f"{target}?chambre=senat", {"Accept": "*/*"}).status == 401


@rule("files-parameters", "files-open", "decisions-unknown-parameter")
def test_the_open_file_takes_no_parameter_and_the_description_ignores_any(
    in_process: Start,
) -> None:
    service = in_process({"open_whole_file": True})
    answer = service.ask(f"{EVERYTHING}?chambre=senat")
    assert (answer.status, answer.json()["parametre"]) == (400, "chambre")
    plain, asked = service.ask("/v1/openapi.json"), service.ask("/v1/openapi.json?v=2&x")
    assert (asked.status, asked.body) == (200, plain.body)
