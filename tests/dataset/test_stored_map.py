"""What a build found is a dictionary in a temporary file."""

from __future__ import annotations

import threading
import tracemalloc

import pytest

from datasette_mouvements.dataset.filling.stored_map import StoredMap
from parlement_lists.movement import FIELD_NAMES, Movement
from tests.tracking.disk import files_up_to


def movement(number: int, **said: str) -> Movement:
    told = dict.fromkeys(FIELD_NAMES, "") | {"id": f"mvt_{number:020x}"} | said
    return Movement(**told)


def test_it_is_a_dictionary_in_the_order_of_first_coming() -> None:
    found = StoredMap(Movement._make)
    first, second = movement(2, collab_nom="Éluë \udcff"), movement(1)
    gone = movement(3)
    found.update({one.id: one for one in (first, gone, second)})
    found[first.id] = first._replace(fonction="autre")
    del found[gone.id]
    assert dict(found) == {first.id: first._replace(fonction="autre"), second.id: second}
    assert list(found) == [first.id, second.id]
    assert isinstance(found[first.id], Movement)
    assert second.id in found
    with pytest.raises(KeyError, match=gone.id):
        found[gone.id]
    with pytest.raises(KeyError, match=gone.id):
        del found[gone.id]


def test_memory_does_not_grow_with_its_rows() -> None:
    found = StoredMap(str)
    tracemalloc.start()
    try:
        found.update((f"mvt_{number:020x}", f"{number:0200}") for number in range(20_000))
        assert sum(map(len, found.values())) == 4_000_000
        assert tracemalloc.get_traced_memory()[1] < 500_000
    finally:
        tracemalloc.stop()


def test_a_full_disk_is_told_as_that_of_temporary_files() -> None:
    found = StoredMap(str)
    with files_up_to(100_000), pytest.raises(OSError, match="disk I/O error") as failed:
        found.update((f"mvt_{number:020x}", f"{number:0200}") for number in range(20_000))
    assert failed.value.filename == "the temporary folder"


def test_any_thread_may_let_go_of_it() -> None:
    """Python writes what fails there to standard error, and pytest makes it an error of this test."""
    held = [StoredMap(str)]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    assert not held
