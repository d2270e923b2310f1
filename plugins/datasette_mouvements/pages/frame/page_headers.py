"""What a page says of itself to browsers and caches."""

from __future__ import annotations

from ...api.service import Service

PRIVATE = "private, no-store"

# Everything comes from this site and nothing is inline, so that no plugin or name can smuggle anything in.
STRICT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def public(seconds: int) -> str:
    """Cache-Control of what is the same for everyone, and may be so many seconds old."""
    return f"public, max-age={seconds}"


PUBLIC = public(60)


def page_headers(service: Service, caching: str, indexed: bool = False) -> dict[str, str]:
    """The headers of every page of ours; `caching` is its Cache-Control, `indexed`: it names no staff member."""
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
