"""The European Parliament's site: every member's page or no list; a challenge is told, never circumvented."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from parlement_lists.sources.commands import read_command as read
from parlement_lists.sources.europarl import SOURCE
from parlement_lists.sources.originals import FetchFailed, OriginalRefused
from parlement_lists.tracking.members.known_members import Members

from .conftest import GONE, Site
from .europarl_pages import api_answer, full_list, make, member, member_name, staff
from .misbehaving import says

MEMBERS = [member(number) for number in range(1001, 1082)]
PAGES = {
    one.id: make(one.id, member_name(one.id), [staff(f"Jeanne Exemple{one.id}", member=one.id)])
    for one in MEMBERS
}
CHALLENGE_PAGE = (
    b"<!DOCTYPE html><html lang='en'><head><title></title>"
    b"<script src='https://example.net/x/challenge.js'></script></head><body></body></html>"
)
PLAIN = (
    "the site lets browsers read the members' pages and no programs: a challenge for browsers instead"
    " of the file, which is not circumvented"
)
API = "/members?offset=0"


@pytest.fixture
def site(server):
    paths = {"members": "members?offset=0", "full_list": "xml", "page": "page/{id}"}
    site = Site(server, SOURCE, paths)
    site.answers |= {API: api_answer(MEMBERS), "/xml": full_list(MEMBERS)}
    site.answers |= {f"/page/{id}": page for id, page in PAGES.items()}
    return site


def challenge(site, behaviour):
    site.answers |= {f"/page/{id}": behaviour for id in PAGES}


@pytest.fixture
def failure(site, downloads):
    """Why the site's originals cannot be had."""

    def why(answers=()):
        site.answers |= dict(answers)
        with pytest.raises(FetchFailed) as failed:
            site.source.download(downloads())
        return str(failed.value)

    return why


def test_a_run_reads_both_listings_and_every_members_page(site, downloads):
    run = downloads()
    originals = site.source.download(run)
    assert site.asked[:2] == [API, "/xml"]
    assert sorted(site.asked[2:]) == [f"/page/{id}" for id in PAGES]
    assert (len(originals), run.remarks) == (82, [])
    members = SOURCE.members(originals, run.day)
    assert (members.members, members.dated) == (MEMBERS, False)
    assert len(SOURCE.read(originals, Members(), run.day).rows) == 81
    with pytest.raises(OriginalRefused, match=r"no page of Anne Élu1001 \(1001\)$"):
        SOURCE.read([originals[0], *originals[2:]], Members(), run.day)


def test_an_address_of_pages_must_have_a_place_for_the_number(site, downloads):
    with pytest.raises(FetchFailed, match=r"no \{id\}"):
        site.source.at({"page": "https://site.example/"}).download(downloads())


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (says(b"", status=500), "status 500"),
        (b" ", "not an HTML page"),
        (PAGES["1002"], "the page of member 1002"),
        (PAGES["1001"].replace(b"/1001/", b"/"), "whom it does not name"),
        (PAGES["1001"][:-300], "cut off"),
    ],
)
def test_a_page_that_fails_means_no_list(site, failure, answer, reason):
    site.answers["/page/1001"] = answer
    why = failure()
    assert why.startswith("1 of 81 members' pages failed: Anne Élu1001 (1001): ")
    assert reason in why


def test_pages_that_were_not_asked_for_are_counted(site, failure):
    challenge(site, GONE)
    why = failure()
    asked = len(site.asked) - 2
    assert why.startswith("81 of 81 members' pages failed: Anne Élu1001 (1001): status 404; ")
    assert why.endswith(f"(100{asked}): status 404; {81 - asked} were not asked for")
    assert asked in (4, 5)
    site.answers |= {f"/page/{id}": page for id, page in [*PAGES.items()][3:]}
    why = failure()
    assert why.startswith("3 of 81 members' pages failed: ")
    assert "not asked for" not in why


@pytest.mark.rule("record-half-read")
@pytest.mark.parametrize("answer", [GONE, b"<html></html>", api_answer(MEMBERS[:40])])
def test_without_the_members_of_the_api_there_is_no_list(failure, answer):
    assert "members" in failure({API: answer})


@pytest.mark.rule("record-half-read")
@pytest.mark.parametrize("number", [66, 78])
def test_whom_a_short_answer_of_the_api_misses_the_full_list_must_miss_too(failure, number):
    why = failure({API: api_answer(MEMBERS[:number])})
    assert why.startswith(f"{81 - number} members are in the full list alone: ")
    assert f"Anne Élu{1001 + number} ({1001 + number})" in why


def test_a_few_may_have_left_in_one_of_the_two(site, downloads):
    site.answers |= {API: api_answer(MEMBERS[:79]), "/xml": full_list(MEMBERS[:66])}
    run = downloads()
    site.source.download(run)
    assert run.remarks == []


def test_without_the_full_list_nearly_every_seat_must_have_its_member(site, failure, downloads):
    told = "the full list cannot be had, and members are not compared: full-list.xml: status 404"
    why = failure({API: api_answer(MEMBERS[:78]), "/xml": GONE})
    assert why == f"78 members for 81 seats; {told}"
    site.answers[API] = api_answer(MEMBERS[:79])
    run = downloads()
    site.source.download(run)
    assert run.remarks == [told]


@pytest.mark.parametrize(
    ("behaviour", "times"),
    [
        (says(b"<html>", status=405, x_amzn_waf_action="captcha"), 1),
        (says(b"<html>", status=403, cf_mitigated="challenge"), 1),
        (says(b"", status=202), 3),
        (says(CHALLENGE_PAGE, content_type="text/html"), 3),
    ],
)
def test_a_challenge_is_told_in_plain_words(fetcher, site, behaviour, times):
    before = dict(site.answers)
    challenge(site, behaviour)
    (result,) = fetcher.fetch(site.source)
    assert result.line.raison == "original non obtenu"
    assert result.detail.startswith(PLAIN)
    # Pages are not asked for again and again.
    pages = [path for path in site.asked if path.startswith("/page/")]
    assert max(map(pages.count, pages)) == times
    assert len(set(pages)) <= 6
    site.answers = before
    assert fetcher.status(site.source) == "nouvelle"


def test_a_page_of_a_member_that_cannot_be_read_is_no_challenge(failure, site):
    script = b"<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script></html>"
    site.answers |= {f"/page/{id}": page[: len(page) // 2] + script for id, page in PAGES.items()}
    assert "challenge" not in failure()


def test_some_pages_that_are_challenged_do_not_say_it_of_the_site(failure, site):
    site.answers["/page/1001"] = says(b"", status=202)
    assert PLAIN not in failure()


def saved(page, id):
    """A page as a browser saves it: a line of its own, and whole addresses."""
    address = f"https://www.europarl.europa.eu/meps/en/{id}/NAME/assistants"
    text = page.decode().replace('href="/', 'href="https://www.europarl.europa.eu/')
    line = f"<!-- saved from url=({len(address):04}){address} -->\n<html"
    return re.sub("<html", line, text, count=1).encode()


def test_pages_that_a_browser_saved_are_the_list(fetcher, site, clock, tmp_path):
    """What the sentence says to do, and the next morning goes on from it."""
    before = dict(site.answers)
    challenge(site, says(b"", status=202))
    (result,) = fetcher.fetch(site.source)
    folder = tmp_path / "saved"
    folder.mkdir()
    for number, (id, page) in enumerate(PAGES.items()):
        (folder / f"Assistants _ MEPs ({number}).html").write_bytes(saved(page, id))
    lists = fetcher.directory
    said = re.search(r"as (\S+), and read them: datasette mouvements read (.*)", result.detail)
    (folder / said[1]).write_bytes(api_answer(MEMBERS))
    command = said[2].replace("-o lists/", f"-o {lists}/").split()
    assert command[:3] == ["europarl", said[1], "PAGE.html..."]
    files = [str(folder / said[1]), *map(str, sorted(folder.glob("*.html")))]
    done = CliRunner().invoke(read, ["europarl", *files, *command[3:]])
    assert done.exit_code == 0, done.output
    rows = (lists / "europarl" / "2026-09-14.csv").read_text().splitlines()
    assert len(rows) == 1 + len(PAGES)
    site.answers = before
    clock.passes(days=1)
    (result,) = fetcher.fetch(site.source)
    assert (result.is_kept, result.alarm) == (True, "")
