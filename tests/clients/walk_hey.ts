// Walks the whole interface with the client that @hey-api/openapi-ts made, and tells what it met.
import * as api from "./hey";
import type { Mouvement, Probleme } from "./hey";
import { createClient } from "./hey/client";

const [url = "", key = "", spent = "", withdrawn = "", elsewhere = ""] = process.argv.slice(2);
const opened = (held: string) =>
  createClient({ baseUrl: url, auth: (asked) => (asked.scheme === "bearer" ? held : undefined) });
const client = opened(key);

function got<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("no body");
  return value;
}

const kind = (error: Probleme | undefined): string => got(error).type.split("#")[1] ?? "";

async function search(): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const asked = { client, query: { limit: 100, offset: found.length } };
    const page = got((await api.mouvements(asked)).data);
    found.push(...page.mouvements.map((one) => one.id));
    if (found.length >= (page.total ?? 0)) return found;
  }
}

async function copy(): Promise<[Map<string, Mouvement>, number]> {
  const kept = new Map<string, Mouvement>();
  let gone = 0;
  let curseur: string | undefined;
  for (;;) {
    const query = curseur === undefined ? { limit: 90 } : { limit: 90, curseur };
    const page = got((await api.changements({ client, query })).data);
    for (const change of page.changements) {
      if (change.nature === "publication") kept.set(change.id, change.mouvement);
      else {
        kept.delete(change.id);
        gone += 1;
      }
    }
    curseur = page.curseur;
    if (!page.encore) return [kept, gone];
  }
}

const one = (id: string) => api.mouvement({ client, path: { id } });

async function errors(): Promise<Record<string, string>> {
  const wrong = await api.mouvements({ client, query: { limit: 0 } });
  if (wrong.error && "parametre" in wrong.error && wrong.error.parametre !== "limit") {
    throw new Error("another parameter");
  }
  const poor = opened(spent);
  await api.mouvements({ client: poor });
  return {
    "limit=0": kind(wrong.error),
    "no key": kind((await api.mouvements({ client: opened("") })).error),
    "bad key": kind((await api.quota({ client: opened("mvt_faux") })).error),
    unknown: kind((await one("mvt_inconnu")).error),
    withdrawn: kind((await one(withdrawn)).error),
    elsewhere: kind((await api.changements({ client, query: { curseur: elsewhere } })).error),
    spent: kind((await api.mouvements({ client: poor })).error),
  };
}

async function walk(): Promise<void> {
  const found = await search();
  const [kept, gone] = await copy();
  const first = found[0] ?? "";
  const etag = got((await api.mouvements({ client })).response).headers.get("ETag") ?? "";
  const again = await api.mouvements({ client, headers: { "If-None-Match": etag } });
  const left = got((await api.quota({ client })).data);
  const format = { client, query: { format: "ndjson" as const } };
  const lines = await api.fichierDeRecherche({ ...format, parseAs: "text" });
  const whole = got((await api.fichierComplet({ client, parseAs: "blob" })).data);
  const told = got((await api.description({ client })).data);
  const same = JSON.stringify(got((await one(first)).data).mouvement);
  console.log(
    JSON.stringify({
      search: found,
      copy: [...kept.keys()].sort(),
      withdrawn: gone,
      same: same === JSON.stringify(kept.get(first)),
      unchanged: got(again.response).status,
      used: left.limite - left.reste,
      lines: got(lines.data).trimEnd().split("\n").length,
      file: whole.size,
      description: told["openapi"],
      errors: await errors(),
    }),
  );
}

void walk();
