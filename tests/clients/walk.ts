// Walks the whole interface with a generated client, whose types must fit these, and tells what it met.
export interface Probleme {
  type: string;
  parametre?: string;
}
interface Mouvement {
  id: string;
}
interface Stay {
  id: string;
  elu_id: string;
  debut: string;
  fin?: string;
}
interface Page {
  total?: number | null;
}
interface Lists {
  listes: number;
  trous: { apres: string; avant: string; jours: number }[];
}
type StayChange =
  | { nature: "publication"; id: string; collaboration: Stay }
  | { nature: "retrait"; id: string };
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
  stays(query: {
    le?: string;
    present?: "oui";
    limit?: number;
    offset?: number;
  }): Answer<Page & { collaborations: Stay[] }>;
  stay(id: string): Answer<{ collaboration: Stay }>;
  stayChanges(query: {
    limit?: number;
    curseur?: string;
  }): Answer<{ changements: StayChange[]; curseur: string; encore: boolean }>;
  members(query: {
    limit?: number;
    offset?: number;
  }): Answer<Page & { elus: { elu_id: string; equipe: number; mandats: object[] }[] }>;
  coverage(): Answer<{ couverture: { [chamber: string]: Lists } }>;
  quota(): Answer<{ limite: number; reste: number }>;
  everything(): Answer<Blob>;
  description(): Answer<Record<string, unknown>>;
}
export type Opened = (url: string, key: string) => Client;

function got<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("no body");
  return value;
}

const kind = (error: Probleme | undefined): string => got(error).type.split("#")[1] ?? "";

// All that pages have, asked for one after the other.
async function all<P extends Page, T>(
  ask: (query: { limit: number; offset: number }) => Answer<P>,
  of: (page: P) => T[],
): Promise<T[]> {
  const found: T[] = [];
  for (;;) {
    const page = got((await ask({ limit: 100, offset: found.length })).data);
    found.push(...of(page));
    if (found.length >= (page.total ?? 0)) return found;
  }
}

// What a whole feed makes, and how many were withdrawn.
async function copy<C extends { nature: string; id: string }, T>(
  ask: (query: {
    limit: number;
    curseur?: string;
  }) => Answer<{ changements: C[]; curseur: string; encore: boolean }>,
  published: (change: C) => T | undefined,
): Promise<[Map<string, T>, number]> {
  const kept = new Map<string, T>();
  let gone = 0;
  let curseur: string | undefined;
  for (;;) {
    const query = curseur === undefined ? { limit: 90 } : { limit: 90, curseur };
    const page = got((await ask(query)).data);
    for (const change of page.changements) {
      const one = published(change);
      if (one !== undefined) kept.set(change.id, one);
      else {
        kept.delete(change.id);
        gone += 1;
      }
    }
    curseur = page.curseur;
    if (!page.encore) return [kept, gone];
  }
}

// Who works for whom, members and coverage.
async function states(client: Client, le: string): Promise<object> {
  const stays = await all(client.stays, (page) => page.collaborations);
  const [kept, gone] = await copy(client.stayChanges, (change) =>
    change.nature === "publication" ? change.collaboration : undefined,
  );
  const first = stays[0]?.id ?? "";
  const stay = got((await client.stay(first)).data).collaboration;
  if (JSON.stringify(stay) !== JSON.stringify(kept.get(first))) throw new Error("another stay");
  const members = await all(client.members, (page) => page.elus);
  const lists = got((await client.coverage()).data).couverture;
  const holes = Object.values(lists).flatMap((one) => one.trous);
  return {
    stays: stays.map((one) => one.id),
    kept: [...kept.keys()].sort(),
    gone,
    stay,
    "on a day": got((await client.stays({ le })).data).total,
    present: got((await client.stays({ present: "oui" })).data).total,
    members: members.map((one) => one.elu_id),
    mandates: members.reduce((sum, one) => sum + one.mandats.length, 0),
    lists: Object.fromEntries(Object.entries(lists).map(([name, one]) => [name, one.listes])),
    holes: holes.reduce((sum, one) => sum + one.jours, 0),
  };
}

export async function walk(opened: Opened): Promise<void> {
  const [url = "", key = "", spent = "", withdrawn = "", stay = "", elsewhere = "", day = ""] =
    process.argv.slice(2);
  const client = opened(url, key);
  const found = (await all(client.search, (page) => page.mouvements)).map((one) => one.id);
  const [kept, gone] = await copy(client.changes, (change) =>
    change.nature === "publication" ? change.mouvement : undefined,
  );
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
      file: got((await client.everything()).data).size,
      ...(await states(client, day)),
      description: got((await client.description()).data)["openapi"],
      errors: {
        "limit=0": kind(wrong),
        "no key": kind((await opened(url, "").search({})).error),
        "bad key": kind((await opened(url, "mvt_faux").quota()).error),
        unknown: kind((await client.movement("mvt_inconnu")).error),
        withdrawn: kind((await client.movement(withdrawn)).error),
        "unknown stay": kind((await client.stay("col_inconnue")).error),
        "withdrawn stay": kind((await client.stay(stay)).error),
        elsewhere: kind((await client.changes({ curseur: elsewhere })).error),
        spent: kind((await poor.search({})).error),
      },
    }),
  );
}
