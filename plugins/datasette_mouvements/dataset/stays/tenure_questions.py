"""What must hold between stays, movements and lists; each question is answered by a number of rows at fault."""

from __future__ import annotations

from parlement_lists import tenure

from ..schema import TABLE, TENURES

# A movement that files or a correction gave comes from no list: no stay begins or ends with it. Where
# a correction says who is who, an earlier run's movements may be of people it now joins or parts.
_ALL_FROM_LISTS = """
    (select valeur from _publication where cle = 'hors_listes') = '0'
    and not exists (select 1 from corrections where genre in
      ('ajouter', 'meme_personne', 'homonymes', 'deux_personnes', 'retirer'))
"""
# Since a correction may give a day that no list has.
_MANUAL = f"select 1 from {TABLE} m where m.confiance = 'manuel'"


def _of_no_list(day: str, link: str) -> str:
    return f"""
        select count(*) from {TENURES} c where {day} is not null
        and not exists (select 1 from listes l
          where l.chambre = c.chambre and l.date = c.{day} and l.statut <> 'refusee')
        and not exists ({_MANUAL} and m.id = c.{link})"""


QUESTIONS = {
    "stays whose days are not in order": f"""
        select count(*) from {TENURES}
        where debut_apres > debut or debut > fin_apres or fin_apres > fin""",
    "stays that a movement ends and that have no end": f"""
        select count(*) from {TENURES} where fin is null and mouvement_fin is not null""",
    "stays begun by a movement that is not there, or not their arrival": f"""
        select count(*) from {TENURES} c left join {TABLE} m on m.id = c.mouvement_debut
        where c.mouvement_debut is not null and (m.id is null or m.type = 'depart'
          or m.chambre <> c.chambre or m.elu_id is not c.elu_id or m.date_event <> c.debut)""",
    "stays ended by a movement that is not there, or not their departure": f"""
        select count(*) from {TENURES} c left join {TABLE} m on m.id = c.mouvement_fin
        where c.mouvement_fin is not null and (m.id is null or m.type = 'arrivee'
          or m.chambre <> c.chambre
          or (m.type = 'depart' and (m.elu_id is not c.elu_id or m.date_event <> c.fin))
          or m.date_event < c.fin)""",
    "movements that begin more than one stay": f"""
        select count(*) from (select 1 from {TENURES} where mouvement_debut is not null
        group by mouvement_debut having count(*) > 1)""",
    "movements that end more than one stay": f"""
        select count(*) from (select 1 from {TENURES} where mouvement_fin is not null
        group by mouvement_fin having count(*) > 1)""",
    "stays in progress of one person with one member beside another": f"""
        select count(*) from (select 1 from {TENURES} where fin is null and collab_nom is not null
        group by chambre, elu_id, collab_nom, collab_prenom having count(*) > 1)""",
    "arrivals and transfers that begin no stay": f"""
        select count(*) from {TABLE} m where {_ALL_FROM_LISTS} and type <> 'depart'
        and not exists (select 1 from {TENURES} c where c.mouvement_debut = m.id)""",
    "departures and transfers that end no stay": f"""
        select count(*) from {TABLE} m where {_ALL_FROM_LISTS} and type <> 'arrivee'
        and not exists (select 1 from {TENURES} c where c.mouvement_fin = m.id)""",
    "beginnings on a day of no accepted list": _of_no_list("debut", "mouvement_debut"),
    "ends on a day of no accepted list": _of_no_list("fin", "mouvement_fin"),
} | {
    f"empty {field.name} of a stay (no value is NULL)": f"""
        select count(*) from {TENURES} where {field.name} = ''"""
    for field in tenure.FIELDS
}
