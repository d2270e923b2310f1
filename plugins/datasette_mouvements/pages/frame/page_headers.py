"""What a page says of itself to browsers and caches."""

from __future__ import annotations

from ...api.service import Service

PRIVATE = "private, no-store"
# Seconds for which caches may keep a page, and a file or a feed: an erasure reaches nobody sooner.
PAGE_SECONDS, FILE_SECONDS = 60, 300

# Everything comes from this site and nothing is inline, so that no plugin and no name can add a script.
STRICT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def public(seconds: int) -> str:
    """Cache-Control of what is the same for everyone and may be up to `seconds` old."""
    return f"public, max-age={seconds}"


PUBLIC = public(PAGE_SECONDS)


def page_headers(service: Service, caching: str, indexed: bool = False) -> dict[str, str]:
    """The headers of a page; `caching` is its Cache-Control. Search engines may index it where it is `indexed`: no page that names staff is."""
    headers = {
        "cache-control": caching,
        "content-security-policy": STRICT,
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
    }
    if service.reflects_host and caching != PRIVATE:
        headers["vary"] = "Host"
    if not indexed:
        headers["x-robots-tag"] = "noindex"
    return headers
