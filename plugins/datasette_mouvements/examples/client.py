"""Read the movements, or keep a copy of them that stays right. Python 3.9 or later, nothing else.

python3 client.py search "chambre=senat&type=depart"    every movement that matches, one a line; "" is all
python3 client.py copy movements.json                   make or update a copy: run it once a day

MOUVEMENTS_URL and MOUVEMENTS_KEY say where, and with which key.
"""

import http.client
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

SERVICE = os.environ.get("MOUVEMENTS_URL", "").rstrip("/")
KEY = os.environ.get("MOUVEMENTS_KEY", "")
SECONDS = float(os.environ.get("MOUVEMENTS_TIMEOUT", "60"))
TRIES = 6


def ask(address, etag=""):
    """Status, headers and body; waits as long as it is told to. Status is 200, 304 or 410."""
    headers = {"Authorization": f"Bearer {KEY}"}
    if etag:
        headers["If-None-Match"] = etag
    for attempt in range(TRIES):
        try:
            request = urllib.request.Request(address, headers=headers)
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            if error.code in (304, 410):
                return error.code, error.headers, b""
            if error.code not in (429, 502, 503, 504):
                sys.exit(f"{error.code}: {error.read().decode()}")  # it says what is wrong
            told = error.headers.get("Retry-After", "")
            wait = int(told) if told.isdigit() else 2**attempt  # of a used quota: to midnight
        except (OSError, http.client.HTTPException):  # no connection, too slow, cut off
            wait = 2**attempt
        print(f"again in {wait} s", file=sys.stderr)
        time.sleep(wait)
    sys.exit(f"no answer after {TRIES} tries")


def search(query):
    """Every movement of a search, all of one version of the data, in pages as long as there are."""
    asked = urllib.parse.parse_qsl(query, keep_blank_values=True)
    asked = [pair for pair in asked if pair[0] != "limit"] + [("limit", 500)]
    for _ in range(TRIES):
        movements, version = [], ""
        address = f"{SERVICE}/v1/mouvements?{urllib.parse.urlencode(asked)}"
        while address:
            _, headers, body = ask(address)
            if version not in ("", headers["Mouvements-Version"]):
                break  # published meanwhile: rows may be doubled or missing, so begin again
            version = headers["Mouvements-Version"]
            movements += json.loads(body)["mouvements"]
            following = re.search(r'<([^>]*)>; rel="next"', headers["Link"])
            address = following and following[1]
        else:
            return movements
    sys.exit("published again and again meanwhile")


def empty():
    """A copy of nothing, which the feed fills from its beginning."""
    return {"curseur": "", "etag": "", "mouvements": {}}


def follow(copy):
    """Bring a copy up to date; False if its cursor is gone, and it must begin anew."""
    more = True
    while more:
        since = f"curseur={copy['curseur']}&" if copy["curseur"] else ""
        address = f"{SERVICE}/v1/changements?{since}limit=500"
        status, headers, body = ask(address, copy["etag"])
        if status == 304:
            return True  # nothing new, and nothing charged
        if status == 410:
            return False
        answer = json.loads(body)
        for change in answer["changements"]:
            if change["nature"] == "retrait":
                copy["mouvements"].pop(change["id"], None)
            else:
                copy["mouvements"][change["id"]] = change["mouvement"]
        # The tag is that of this place: it is of use only where the answer has not moved on.
        copy["etag"] = headers["ETag"] if answer["curseur"] == copy["curseur"] else ""
        copy["curseur"], more = answer["curseur"], answer["encore"]
        copy["licence"], copy["attribution"] = answer["licence"], answer["attribution"]
    return True


def keep(path):
    """Make or update the copy at `path`, whose place is taken at once by the next."""
    copy = None
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            copy = json.load(file)
    if copy is None or not follow(copy):
        copy = empty()
        if not follow(copy):
            sys.exit("restored meanwhile: try again")
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(copy, file, ensure_ascii=False)
    os.replace(path + ".new", path)
    print(len(copy["mouvements"]), "movements")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("search", "copy") or not (SERVICE and KEY):
        sys.exit(__doc__)
    if sys.argv[1] == "search":
        for movement in search(sys.argv[2]):
            print(json.dumps(movement))
    else:
        keep(sys.argv[2])
