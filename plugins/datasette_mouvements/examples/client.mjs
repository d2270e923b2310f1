// Read the movements, or keep a copy of them that stays right. Node.js 18 or later, nothing else.

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const USAGE = `node client.mjs search "chambre=senat&type=depart"    every movement that matches, one a line; "" is all
node client.mjs copy movements.json                   make or update a copy: run it once a day

MOUVEMENTS_URL and MOUVEMENTS_KEY say where, and with which key.`;
const SERVICE = (process.env.MOUVEMENTS_URL ?? "").replace(/\/+$/, "");
const KEY = process.env.MOUVEMENTS_KEY;
const SECONDS = Number(process.env.MOUVEMENTS_TIMEOUT ?? 60);
const TRIES = 6;

// Status, headers and the JSON of the body; waits as long as it is told to. Status is 200, 304 or 410.
async function ask(address, etag = "") {
  const headers = { Authorization: `Bearer ${KEY}` };
  if (etag) headers["If-None-Match"] = etag;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    let wait = 2 ** attempt;
    try {
      const answer = await fetch(address, { headers, signal: AbortSignal.timeout(SECONDS * 1000) });
      const text = await answer.text();
      if (answer.status === 304 || answer.status === 410) return [answer.status, answer.headers, null];
      if (answer.ok) return [200, answer.headers, JSON.parse(text)];
      if (![429, 502, 503, 504].includes(answer.status)) {
        throw new Error(`${answer.status}: ${text}`); // it says what is wrong
      }
      const told = answer.headers.get("Retry-After") ?? "";
      if (/^\d+$/.test(told)) wait = Number(told); // of a used quota: to midnight
    } catch (error) {
      // No connection, too slow, cut off; whatever else it is, trying again would not help.
      if (!(error instanceof TypeError) && error.name !== "TimeoutError") throw error;
    }
    console.error(`again in ${wait} s`);
    await sleep(wait * 1000);
  }
  throw new Error(`no answer after ${TRIES} tries`);
}

// Every movement of a search, all of one version of the data, in pages as long as there are.
async function search(query) {
  const asked = new URLSearchParams(query);
  asked.set("limit", "500");
  again: for (let times = 0; times < TRIES; times++) {
    const movements = [];
    let version = "";
    let address = `${SERVICE}/v1/mouvements?${asked}`;
    while (address) {
      const [, headers, body] = await ask(address);
      const told = headers.get("Mouvements-Version");
      if (version && version !== told) continue again; // published meanwhile: rows may be doubled or missing
      version = told;
      movements.push(...body.mouvements);
      address = /<([^>]*)>; rel="next"/.exec(headers.get("Link"))?.[1];
    }
    return movements;
  }
  throw new Error("published again and again meanwhile");
}

// Bring a copy up to date; false if its cursor is gone, and it must begin anew.
async function follow(copy) {
  for (let more = true; more; ) {
    const query = copy.curseur ? `curseur=${copy.curseur}&limit=500` : "limit=500";
    const [status, headers, answer] = await ask(`${SERVICE}/v1/changements?${query}`, copy.etag);
    if (status === 304) return true; // nothing new, and nothing charged
    if (status === 410) return false;
    for (const change of answer.changements) {
      if (change.nature === "retrait") delete copy.mouvements[change.id];
      else copy.mouvements[change.id] = change.mouvement;
    }
    // The tag is that of this place: it is of use only where the answer has not moved on.
    copy.etag = answer.curseur === copy.curseur ? headers.get("ETag") : "";
    copy.curseur = answer.curseur;
    more = answer.encore;
    copy.licence = answer.licence;
    copy.attribution = answer.attribution;
  }
  return true;
}

// Make or update the copy at `path`, whose place is taken at once by the next. A new one is filled from
// the feed, which begins with everything: Node.js cannot open the whole file's ZIP by itself.
async function keep(path) {
  const empty = () => ({ curseur: "", etag: "", mouvements: {} });
  let copy = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : empty();
  if (!(await follow(copy))) {
    copy = empty();
    if (!(await follow(copy))) throw new Error("restored meanwhile: try again");
  }
  writeFileSync(path + ".new", JSON.stringify(copy));
  renameSync(path + ".new", path);
  console.log(Object.keys(copy.mouvements).length, "movements");
}

const [, , what, given, ...more] = process.argv;
if (!["search", "copy"].includes(what) || given === undefined || more.length || !SERVICE || !KEY) {
  console.error(USAGE);
  process.exitCode = 1;
} else if (what === "search") {
  for (const movement of await search(given)) console.log(JSON.stringify(movement));
} else await keep(given);
