"""How somebody asks from a page for a correction or an erasure: a mail with subject, reference and what to write."""

from __future__ import annotations

from hashlib import blake2s
from typing import NamedTuple
from urllib.parse import quote

from datasette.utils.asgi import Request

from .site import Site

# RGPD, article 12.3; docs/how-to/answer-an-erasure.md says what is done meanwhile.
DELAY = "un mois"
_BODY = """Bonjour,

Page : {address}
Référence : {reference}

Ce qui est faux, ou ce que je demande (correction d’une date, d’un nom, séparation de deux personnes, retrait de mon nom) :


Ce qui le montre (le cas échéant) :


Je suis la personne concernée, ou j’écris en son nom : oui / non
"""


class CorrectionRequest(NamedTuple):
    """Where to ask, "" where no contact is set, and the reference to give."""

    link: str
    mail: bool
    reference: str
    delay: str = DELAY


def asking(site: Site, request: Request, path: str) -> CorrectionRequest:
    """How to ask about the page at `path`. The subject of the mail has a reference instead of a name."""
    reference = blake2s(site.service.below(path).encode(), digest_size=4).hexdigest().upper()
    link = site.contact_link
    if not link.startswith("mailto:"):
        return CorrectionRequest(link, False, reference)
    subject = f"Correction ou retrait, référence {reference}"
    body = _BODY.format(address=site.absolute(request, path), reference=reference)
    # RFC 6068 wants these line ends.
    body = body.replace("\n", "\r\n")
    return CorrectionRequest(f"{link}?subject={quote(subject)}&body={quote(body)}", True, reference)
