"""To be written."""

from typing import Any


class PageMiddleware:
    def __init__(self, datasette: Any, app: Any) -> None:
        self.app = app

    async def __call__(self, *given: Any) -> None:
        await self.app(*given)
