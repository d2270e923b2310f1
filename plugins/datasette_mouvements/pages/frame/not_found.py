"""What answers for an address that nothing is known of."""

from __future__ import annotations

from datasette.utils.asgi import Request, Response

from ..words import french
from .site import Site


async def absent(site: Site, request: Request, message: str) -> Response:
    """404, with a way on."""
    context = {"heading": "Page introuvable", "message": french.typography(message)}
    return await site.page(request, "absent", context, status=404)
