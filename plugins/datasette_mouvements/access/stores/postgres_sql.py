"""What `postgres.py` says to PostgreSQL."""

from __future__ import annotations

from typing import Final

MIGRATIONS_TABLE: Final = """
    create table if not exists mouvements_migrations (
        name text primary key,
        applied_at timestamptz not null default now()
    )
"""

MIGRATIONS: Final = (
    (
        "0001_keys_and_quota",
        (
            """
            create table mouvements_keys (
                id bigint generated always as identity primary key,
                account text not null,
                digest bytea not null unique,
                prefix text not null,
                quota integer,
                created_at text not null,
                last_used_at text,
                ended_at text,
                ended_why text
            )
            """,
            """
            create unique index mouvements_keys_live on mouvements_keys (account)
            where ended_at is null
            """,
            "create index mouvements_keys_account on mouvements_keys (account)",
            # By account, not by key: a new key does not bring a new quota. `most` and `granted`
            # are of the last charge: its quota, and how many of what it asked for were granted.
            """
            create table mouvements_quota (
                account text not null,
                day text not null,
                used integer not null,
                most integer not null,
                granted integer not null,
                primary key (account, day)
            )
            """,
        ),
    ),
    (
        "0002_refusals",
        (
            """
            create table mouvements_refusals (
                day text not null,
                kind text not null,
                times bigint not null,
                primary key (day, kind)
            )
            """,
        ),
    ),
    (
        "0003_months",
        (
            "create index mouvements_quota_day on mouvements_quota (day)",
            "create table mouvements_months (month text primary key, used bigint not null)",
            "create table mouvements_last (what text primary key, at text not null)",
        ),
    ),
)

# CHARGE is one statement, so that a row is locked for no longer than PostgreSQL needs to write it.
# Rows are locked in the order of accounts, so that two machines never wait for each other.
# `counted` updates the newest version of a row, which the statement's snapshot may not show: what was
# used before is read from the updated row, as `used - granted`. A key whose quota is reached has no
# row in `counted`; it has used its quota at least, even where the snapshot shows less.
# With `ended_at is null` instead of `coalesce`, PostgreSQL would read the whole index of live keys
# while there are few keys.
CHARGE: Final = """
    with asked as (
        select * from unnest(%(digests)s::bytea[], %(wanted)s::integer[]) as a (digest, wanted)
    ), known as (
        select a.digest, a.wanted, k.id, k.account, coalesce(k.quota, %(quota)s) as most
        from asked a
        join mouvements_keys k on k.digest = a.digest and coalesce(k.ended_at, '') = ''
    ), counted as (
        insert into mouvements_quota as q (account, day, used, most, granted)
        select account, %(day)s, least(wanted, most), most, least(wanted, most)
        from known where wanted > 0 order by account
        on conflict (account, day) do update set
            used = least(q.used + excluded.used, excluded.most),
            most = excluded.most,
            granted = least(excluded.used, excluded.most - q.used)
        where q.used < excluded.most
        returning account, used, granted
    ), touched as (
        update mouvements_keys k set last_used_at = %(minute)s
        from known
        join counted on counted.account = known.account
        where k.id = known.id and k.last_used_at is distinct from %(minute)s
    )
    select known.digest, known.id, known.account, known.most,
        case
            when counted.account is not null then counted.used - counted.granted
            when known.wanted > 0 then greatest(seen.used, known.most)
            else coalesce(seen.used, 0)
        end
    from known
    left join counted on counted.account = known.account
    left join mouvements_quota seen on seen.account = known.account and seen.day = %(day)s
"""

KNOWN: Final = """
    select digest, id, account, coalesce(quota, %s)
    from mouvements_keys where digest = any(%s) and ended_at is null
"""
LOCK: Final = """
    insert into mouvements_quota as q (account, day, used, most, granted)
    select account, day, 0, 0, 0 from unnest(%s::text[], %s::text[]) as a (account, day)
    order by account, day
    on conflict (account, day) do update set granted = 0
    returning account, day, used
"""
COUNT: Final = "update mouvements_quota set used = %s where account = %s and day = %s"
TOUCH: Final = "update mouvements_keys set last_used_at = %s where id = %s"
