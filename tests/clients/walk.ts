// Walks the whole interface with a generated client, whose types must fit these, and tells what it met.
export interface Probleme {
  type: string;
  parametre?: string;
}
interface Mouvement {
  id: string;
}
type Change =
  | { nature: "publication"; id: string; mouvement: Mouvement }
  | { nature: "retrait"; id: string };
type Answer<T> = Promise<{ data?: T; error?: Probleme; response?: Response }>;

// What a client asks, with the key that it was opened with.
export interface Client {
  search(
    query: { limit?: number; offset?: number },
    header?: { "If-None-Match"?: string },
  ): Answer<{ mouvements: Mouvement[]; total?: number | null }>;
  movement(id: string): Answer<{ mouvement: Mouvement }>;
  changes(query: {
    limit?: number;
    curseur?: string;
  }): Answer<{ changements: Change[]; curseur: string; encore: boolean }>;
  quota(): Answer<{ limite: number; reste: number }>;
  lines(): Answer<string>;
  everything(): Answer<Blob>;
  description(): Answer<Record<string, unknown>>;
}
export type Opened = (url: string, key: string) => Client;

function got<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("no body");
  return value;
}

const kind = (error: Probleme | undefined): string => got(error).type.split("#")[1] ?? "";

async function search(client: Client): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const page = got((await client.search({ limit: 100, offset: found.length })).data);
    found.push(...page.mouvements.map((one) => one.id));
    if (found.length >= (page.total ?? 0)) return found;
  }
}

async function copy(client: Client): Promise<[Map<string, Mouvement>, number]> {
  const kept = new Map<string, Mouvement>();
  let gone = 0;
  let curseur: string | undefined;
  for (;;) {
    const query = curseur === undefined ? { limit: 90 } : { limit: 90, curseur };
    const page = got((await client.changes(query)).data);
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

export async function walk(opened: Opened): Promise<void> {
  const [url = "", key = "", spent = "", withdrawn = "", elsewhere = ""] = process.argv.slice(2);
  const client = opened(url, key);
  const found = await search(client);
  const [kept, gone] = await copy(client);
  const first = found[0] ?? "";
  const etag = got((await client.search({})).response).headers.get("ETag") ?? "";
  const again = await client.search({}, { "If-None-Match": etag });
  const left = got((await client.quota()).data);
  const same = JSON.stringify(got((await client.movement(first)).data).mouvement);
  const wrong = (await client.search({ limit: 0 })).error;
  if (wrong?.parametre !== "limit") throw new Error("another parameter");
  const poor = opened(url, spent);
  await poor.search({});
  console.log(
    JSON.stringify({
      search: found,
      copy: [...kept.keys()].sort(),
      withdrawn: gone,
      same: same === JSON.stringify(kept.get(first)),
      unchanged: got(again.response).status,
      used: left.limite - left.reste,
      lines: got((await client.lines()).data).trimEnd().split("\n").length,
      file: got((await client.everything()).data).size,
      description: got((await client.description()).data)["openapi"],
      errors: {
        "limit=0": kind(wrong),
        "no key": kind((await opened(url, "").search({})).error),
        "bad key": kind((await opened(url, "mvt_faux").quota()).error),
        unknown: kind((await client.movement("mvt_inconnu")).error),
        withdrawn: kind((await client.movement(withdrawn)).error),
        elsewhere: kind((await client.changes({ curseur: elsewhere })).error),
        spent: kind((await poor.search({})).error),
      },
    }),
  );
}
