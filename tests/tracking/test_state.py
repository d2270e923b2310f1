"""A state that an earlier version wrote is read, and goes on."""

from __future__ import annotations

import pytest

from parlement_lists.tracking.correction import Entry
from parlement_lists.tracking.corrections import Corrections
from parlement_lists.tracking.members.known_members import Members
from parlement_lists.tracking.run import Run
from parlement_lists.tracking.state import (
    StateError,
    TrackingState,
    from_json,
    tell_shorter,
    to_json,
)
from parlement_lists.tracking.tracker import Tracker
from tests.tracking.lists import list_, list_file, member

# Only versions before 3 have it.
PAST = ',"past":{"d16beb8166dab3e2":"2026-09-11","c53bcbfb3a1c23eb":"2026-09-12"}'
# Ada is missing at the first member; Cleo, of the third, has gone to the fifth. Never changed.
STATE = (
    '{"version":2,"chambers":{"senat":{"date":"2026-09-12","name":"senat/2026-09-12",'
    '"digest":"7f3f644b9fa95ab4bcf8844c97d96ef439de2ec6f5936b6f22b9c210aab4ecc3",'
    '"source":"regards-citoyens","pairs":[["99001Z","bo lenglet","LENGLET","Bo","Mme","NUMÉRO1",'
    '"Élue","","",false,"col_03da941a932f1a96926d","2026-09-01","",""],["99002Z","bo lenglet",'
    '"LENGLET","Bo","Mme","NUMÉRO2","Élue","","",false,"col_fc7f63f8428c541b5539","2026-09-01","",""],'
    '["99004Z","dan rouverol","ROUVEROL","Dan","Mme","NUMÉRO4","Élue","","",false,'
    '"col_f3dc7d9c9e272495735d","2026-09-01","",""],["99005Z","cleo vassor","VASSOR","Cleo","Mme",'
    '"NUMÉRO5","Élue","","",false,"col_3891fd955c50d0a69e11","2026-09-12","2026-09-11",""]],'
    '"absences":[{"pair":["99001Z","ada moreau","MOREAU","Ada","Mme","NUMÉRO1","Élue","","",false,'
    '"col_2c36e5938c0693c685c9","2026-09-01","",""],"origin":["2026-09-11","suivi",1],"gone":false,'
    '"last_seen":"2026-09-01"},{"pair":["99003Z","cleo vassor","VASSOR","Cleo","Mme","NUMÉRO3",'
    '"Élue","","",false,"col_1f409bdb554b992cb129","2026-09-01","",""],'
    '"origin":["2026-09-12","suivi",0],"gone":true,"last_seen":"2026-09-11"}],'
    '"arrivals":[{"pair":["99005Z","cleo vassor","VASSOR","Cleo","Mme","NUMÉRO5","Élue","","",false,'
    '"col_3891fd955c50d0a69e11","2026-09-12","2026-09-11",""],"origin":["2026-09-12","suivi",0],'
    '"new_member":true}],"gone":{"99003Z":"2026-09-11"},"names":{"99001Z":["Élue NUMÉRO1","NUMÉRO1",'
    '"Élue"],"99002Z":["Élue NUMÉRO2","NUMÉRO2","Élue"],"99003Z":["Élue NUMÉRO3","NUMÉRO3","Élue"],'
    '"99004Z":["Élue NUMÉRO4","NUMÉRO4","Élue"],"99005Z":["Élue NUMÉRO5","NUMÉRO5","Élue"]},'
    '"departed":{"1450207a5cc69009":"2026-09-11","1976104afd08981d":"2026-09-12"}'
    f"{PAST}}}}},"
    '"refused":{"senat":["senat/2026-09-13"]},"followed":["senat/2026-09-01","senat/2026-09-11",'
    '"senat/2026-09-12"],"matched":["0123456789abcdef0123"],"corrections":"0123456789abcdef0123"}'
)


def test_a_state_is_the_same_text_again() -> None:
    assert to_json(from_json(STATE, Members())) == STATE.replace(PAST, "")


def test_a_state_goes_on() -> None:
    """All it holds is of use: who is missing left, who waits is settled."""
    state = from_json(STATE, Members())
    run = Run(state, Members(), Corrections(), "archives")
    after = {
        1: ["Bo LENGLET"],
        2: ["Ada MOREAU", "Bo LENGLET"],
        4: ["Dan ROUVEROL"],
        5: ["Cleo VASSOR"],
    }
    run.feed([list_file("senat", day, after) for day in ("2026-09-12", "2026-09-14", "2026-09-20")])
    assert run.result.report.passed_over == ["senat/2026-09-12"]
    found = [
        (m.date_event, m.type, m.collab_prenom, m.elu_nom, m.elu_origine_nom, m.contexte)
        for m in run.result.added.values()
    ]
    assert found == [
        ("2026-09-14", "arrivee", "Ada", "Élue NUMÉRO2", "", ""),
        ("2026-09-11", "depart", "Ada", "Élue NUMÉRO1", "", ""),
        ("2026-09-12", "transfert", "Cleo", "Élue NUMÉRO5", "Élue NUMÉRO3", "elu_sortant"),
    ]
    assert [m.confiance for m in run.result.added.values()] == ["moyen", "moyen", "bot"]
    assert {m.source for m in run.result.added.values()} == {"archives", "suivi"}
    ended = run.result.ended
    assert [(t.collab_prenom, t.debut, t.fin_apres, t.fin) for t in ended.values()] == [
        ("Ada", "2026-09-01", "2026-09-01", "2026-09-11"),
        ("Cleo", "2026-09-01", "2026-09-11", "2026-09-12"),
    ]
    assert [t.mouvement_fin for t in ended.values()] == list(run.result.added)[1:]
    state = from_json(to_json(state), Members())
    assert state.chambers["senat"].gone_members == {"99003Z": "2026-09-11"}


def test_an_absence_that_was_dated_later_is_of_the_first_list_without_the_pair() -> None:
    text = STATE.replace(
        '"last_seen":"2026-09-01"', '"last_seen":"2026-09-01","since":"2026-09-04"'
    )
    (absence,) = from_json(text, Members()).chambers["senat"].unsettled.absences["ada moreau"]
    assert absence.evidence.date.isoformat() == "2026-09-04"


@pytest.mark.parametrize("version", [1, 3])
def test_a_state_of_another_version_is_refused(version: int) -> None:
    with pytest.raises(StateError, match=f"tracking state of version {version}, this one reads 2"):
        from_json(STATE.replace('"version":2', f'"version":{version}'), Members())


def test_the_chambers_of_a_state_have_one_order() -> None:
    states = [TrackingState(), TrackingState()]
    for state, chambers in zip(
        states, (["senat", "assemblee"], ["assemblee", "senat"]), strict=True
    ):
        for chamber in chambers:
            tracker = Tracker(chamber, Members())
            tracker.feed(list_(chamber, "2026-09-01", {1: ["Ada MOREAU"]}), "suivi")
            state.chambers[chamber] = tracker
    assert to_json(states[0]) == to_json(states[1])


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"version": 2}', "[" * 100_000])
def test_what_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(StateError, match="the tracking state cannot be read"):
        from_json(text, Members())


def test_masks_learn_from_a_state_who_was_written_two_ways() -> None:
    tracker = Tracker("senat", Members())
    tracker.feed(list_("senat", "2026-09-01", {1: ["Ada MOREAU-FOREZ"]}), "suivi")
    tracker.shorter = {(member("senat", 1), "ada forez moreau", "ada moreau")}
    mask = Corrections([Entry(1, "2026-09-01", "x", "masquer", {"nom": "Ada MOREAU"})])
    tell_shorter(to_json(TrackingState({"senat": tracker})), mask)
    assert tracker.last is not None
    (pair,) = tracker.last.pairs.values()
    assert mask.name_of("senat", pair) == "(masked)"
