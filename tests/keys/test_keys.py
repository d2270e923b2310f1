"""The form of a key, and which header carries it."""

from __future__ import annotations

import string
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasette_mouvements.keys import keys
from datasette_mouvements.refusal import Refusal

# Of nobody.
KEY, OTHER = "mvt_1Aa1Aa1Aa1Aa1Aa1Aa1Aa1Aa1Aa1Aa14LiSn", "mvt_2Bb2Bb2Bb2Bb2Bb2Bb2Bb2Bb2Bb2Bb1zqkIg"
ADDRESS = "http://localhost:8001/v1/mouvements"
Headers = list[tuple[bytes, bytes]]


def authorization(value: str) -> tuple[bytes, bytes]:
    return (b"authorization", value.encode())


def x_api_key(value: str) -> tuple[bytes, bytes]:
    return (b"x-api-key", value.encode())


@pytest.mark.rule("decisions-key-form")
def test_a_key_is_its_mark_thirty_random_characters_and_a_crc32_in_base_62() -> None:
    key = keys.issue()
    assert key[:4] == "mvt_"
    assert len(key) == 40
    digits = string.digits + string.ascii_uppercase + string.ascii_lowercase
    assert set(key[4:]) <= set(digits)
    check = 0
    for character in key[-6:]:
        check = check * 62 + digits.index(character)
    assert check == zlib.crc32(key[:-6].encode())
    assert len({keys.issue() for _ in range(1000)}) == 1000


@pytest.mark.rule("decisions-key-form")
@given(place=st.integers(0, 39), replacement=st.integers(0, 255))
def test_any_one_wrong_byte_is_noticed(place: int, replacement: int) -> None:
    sent = bytearray(KEY.encode())
    sent[place] = replacement
    assert (keys.parse(bytes(sent)) is not None) == (bytes(sent) == KEY.encode())


CARRIED = [
    ([authorization(f"bearer {KEY}")], KEY),
    ([authorization(f"BEARER \t {KEY}  ")], KEY),
    ([x_api_key(f" \t{KEY} ")], KEY),
    # Bearer prevails, whichever comes first, even when it is bad or empty.
    ([authorization(f"Bearer {KEY}"), x_api_key(OTHER)], KEY),
    ([x_api_key(OTHER), authorization(f"Bearer {KEY}")], KEY),
    ([authorization("Bearer junk"), x_api_key(KEY)], "junk"),
    ([authorization("Bearer  "), x_api_key(KEY)], None),
    # Another scheme is ignored.
    ([authorization("Basic dTpw"), x_api_key(KEY)], KEY),
    ([authorization("Basic dTpw"), authorization(f"Bearer {KEY}")], KEY),
    ([authorization(f"Bearerx {KEY}"), x_api_key(OTHER)], OTHER),
    ([authorization(f"Basic Bearer {KEY}")], None),
    ([authorization("")], None),
    ([x_api_key("  ")], None),
    ([], None),
    # Given more than once, even the same.
    ([authorization(f"Bearer {KEY}"), authorization(f"Bearer {KEY}")], f"{KEY},{KEY}"),
    ([x_api_key(KEY), x_api_key(OTHER)], f"{KEY},{OTHER}"),
    ([authorization(f"Bearer {KEY}, Bearer {OTHER}")], f"{KEY}, Bearer {OTHER}"),
    ([(b"x-api-token", KEY.encode()), (b"cookie", KEY.encode())], None),
]


@pytest.mark.rule("decisions-key-headers-bearer-wins", "decisions-key-headers-bad-bearer")
@pytest.mark.rule("decisions-key-headers-scheme-case", "decisions-key-headers-other-scheme")
@pytest.mark.parametrize(("headers", "expected"), CARRIED)
def test_one_header_carries_the_key(headers: Headers, expected: str | None) -> None:
    if expected in (KEY, OTHER):
        assert keys.verify(headers, str) == keys.digest(expected)
        return
    with pytest.raises(Refusal) as refused:
        keys.verify(headers, str)
    assert refused.value.kind == ("key_missing" if expected is None else "key_invalid")
    assert refused.value.status == 401
    assert 'curl -H "Authorization: Bearer VOTRE_CLE"' in refused.value.detail


MISPLACED = [
    ([authorization(KEY)], b"", "il manque Bearer"),
    ([authorization(f"Token {KEY}")], b"", "il manque Bearer"),
    ([authorization(f"Bearer:{KEY}")], b"", "il manque Bearer"),
    ([authorization("Basic dTpw")], b"", "ne porte pas de clé"),
    ([], b"limit=5&api-key=" + KEY.encode(), "dans l’adresse"),
    ([], b"limit=" + KEY.encode(), "dans l’adresse"),
    ([], b"key=mvt_abc", "ne porte pas de clé"),
    ([], b"", "ne porte pas de clé"),
]


@pytest.mark.rule("decisions-key-told")
@pytest.mark.parametrize(("headers", "query", "told"), MISPLACED)
def test_a_key_in_the_wrong_place_is_told_as_that(
    headers: Headers, query: bytes, told: str
) -> None:
    with pytest.raises(Refusal) as refused:
        keys.verify(headers, lambda: ADDRESS, query)
    assert refused.value.kind == "key_missing"
    assert told in refused.value.detail
    assert KEY not in refused.value.detail


MISTYPED = KEY[:10] + ("a" if KEY[10] != "a" else "b") + KEY[11:]
MALFORMED = [
    (MISTYPED, "une faute de frappe ou une troncature"),
    (KEY[:-1], "compte 39 octets"),
    (KEY + "\n", "compte 41 octets"),
    ("~", "compte 1 octets"),
    ("MVT" + KEY[3:], "commence par « mvt_ »"),
    (KEY[:-1] + "-", "sans accent et chiffres"),
    (f"{KEY},{KEY}", "une seule fois"),
    (f"Bearer {KEY}", "compte 47 octets"),
]


@pytest.mark.rule("decisions-key-told")
@pytest.mark.parametrize(("sent", "told"), MALFORMED)
def test_what_is_wrong_with_a_key_is_told_and_the_key_is_not(sent: str, told: str) -> None:
    for headers in ([x_api_key(sent)], [authorization(f"Bearer {sent}")]):
        with pytest.raises(Refusal) as refused:
            keys.verify(headers, lambda: ADDRESS)
        assert refused.value.kind == "key_invalid"
        assert told in refused.value.detail
        assert sent[:8] not in refused.value.detail.partition("curl")[0].replace("VOTRE_CLE", "")


@given(st.binary(max_size=300))
def test_no_part_of_what_was_sent_is_repeated(sent: bytes) -> None:
    details = []
    for key in (b"~" + sent + b"~", b"~" * (len(sent) + 2)):
        with pytest.raises(Refusal) as refused:
            keys.verify([(b"x-api-key", key)], lambda: ADDRESS)
        details.append(refused.value.detail)
    assert details[0] == details[1]
    assert len(details[0]) < 500
