"""A page of another site reads the interface with a key, and asks for nothing twice."""

from __future__ import annotations

import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.contract import environment

# The identifiers of each of two walks, and what it was charged.
WALK = """async ({first, rows, headers}) => {
    const used = async () => (await (await fetch(new URL("/v1/quota", first), {headers})).json()).utilise;
    const walks = [];
    for (let times = 0; times < 2; times++) {
        const before = await used(), identifiers = [];
        for (let address = first; address; ) {
            const answer = await fetch(address, {headers});
            if (!answer.ok) return {error: answer.status};
            identifiers.push(...(await answer.json())[rows].map(row => row.id));
            const next = /<([^>]*)>; rel="next"/.exec(answer.headers.get("Link"));
            address = next && new URL(next[1], address).href;
        }
        walks.push([identifiers, await used() - before]);
    }
    return walks;
}"""


@pytest.mark.parametrize(
    ("rows", "header", "form"),
    [("mouvements", "Authorization", "Bearer {}"), ("changements", "X-API-Key", "{}")],
)
def test_a_second_walk_of_another_site_s_page_has_every_row_and_costs_nothing(
    live, chromium, rows, header, form
):
    key = environment.issue(rows, live.internal)
    total = live.ask("/v1/mouvements?limit=1", {"X-API-Key": key}).json()["total"]
    with ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as site:
        threading.Thread(target=site.serve_forever, args=(0.01,)).start()
        page = chromium.new_page()
        page.goto(f"http://127.0.0.1:{site.server_port}/nothing")  # a page of its own all the same
        about = {"first": f"{live.url}/v1/{rows}?limit=500", "rows": rows}
        walks = page.evaluate(WALK, about | {"headers": {header: form.format(key)}})
        page.close()
        site.shutdown()
    (first, charged), (second, again) = walks
    assert first == second
    assert len(first) == len(set(first)) >= total
    assert (charged, again) == (-(-len(first) // 500), 0)
