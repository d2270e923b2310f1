// Walks the whole interface with openapi-fetch, typed by what openapi-typescript made, and tells what it met.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

type Mouvement = components["schemas"]["Mouvement"];
type Probleme = components["schemas"]["Probleme"];

const [url = "", key = "", spent = "", withdrawn = "", elsewhere = ""] = process.argv.slice(2);
const opened = (held: string) =>
  createClient<paths>({ baseUrl: url, headers: held ? { Authorization: `Bearer ${held}` } : {} });
const client = opened(key);

function got<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("no body");
  return value;
}

const kind = (error: Probleme | undefined): string => got(error).type.split("#")[1] ?? "";

async function search(): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const asked = { params: { query: { limit: 100, offset: found.length } } };
    const page = got((await client.GET("/v1/mouvements", asked)).data);
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
    const page = got((await client.GET("/v1/changements", { params: { query } })).data);
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

const one = (id: string) => client.GET("/v1/mouvements/{id}", { params: { path: { id } } });

async function errors(): Promise<Record<string, string>> {
  const wrong = await client.GET("/v1/mouvements", { params: { query: { limit: 0 } } });
  if (wrong.error && "parametre" in wrong.error && wrong.error.parametre !== "limit") {
    throw new Error("another parameter");
  }
  const poor = opened(spent);
  await poor.GET("/v1/mouvements");
  const query = { curseur: elsewhere };
  return {
    "limit=0": kind(wrong.error),
    "no key": kind((await opened("").GET("/v1/mouvements")).error),
    "bad key": kind((await opened("mvt_faux").GET("/v1/quota")).error),
    unknown: kind((await one("mvt_inconnu")).error),
    withdrawn: kind((await one(withdrawn)).error),
    elsewhere: kind((await client.GET("/v1/changements", { params: { query } })).error),
    spent: kind((await poor.GET("/v1/mouvements")).error),
  };
}

async function walk(): Promise<void> {
  const found = await search();
  const [kept, gone] = await copy();
  const first = found[0] ?? "";
  const etag = (await client.GET("/v1/mouvements")).response.headers.get("ETag") ?? "";
  const header = { "If-None-Match": etag };
  const again = await client.GET("/v1/mouvements", { params: { header } });
  const left = got((await client.GET("/v1/quota")).data);
  const lines = await client.GET("/fichiers/recherche", {
    params: { query: { format: "ndjson" } },
    parseAs: "text",
  });
  const whole = await client.GET("/fichiers/tout", { parseAs: "blob" });
  const told: Record<string, unknown> = got((await client.GET("/v1/openapi.json")).data);
  const same = JSON.stringify(got((await one(first)).data).mouvement);
  console.log(
    JSON.stringify({
      search: found,
      copy: [...kept.keys()].sort(),
      withdrawn: gone,
      same: same === JSON.stringify(kept.get(first)),
      unchanged: again.response.status,
      used: left.limite - left.reste,
      lines: got(lines.data).trimEnd().split("\n").length,
      file: (got(whole.data) as unknown as Blob).size,
      description: told["openapi"],
      errors: await errors(),
    }),
  );
}

void walk();
