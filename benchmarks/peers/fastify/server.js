// Fastify + better-sqlite3: count and page on each request, no key, no quota.
// Usage: node server.js DATABASE PORT
"use strict";

const Database = require("better-sqlite3");
const fastify = require("fastify")({ logger: false });

const [database, port] = process.argv.slice(2);
const db = new Database(database, { readonly: true });

const day = { type: "string", pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" };
const querystring = {
  type: "object",
  additionalProperties: false,
  properties: {
    chambre: { type: "string", enum: ["assemblee", "senat", "europarl"] },
    type: { type: "string", enum: ["arrivee", "depart", "transfert"] },
    source: { type: "string", enum: ["suivi", "archives"] },
    depuis: day,
    jusqua: day,
    elu: { type: "string", maxLength: 80 },
    limit: { type: "integer", minimum: 1, maximum: 500, default: 100 },
    offset: { type: "integer", minimum: 0, default: 0 },
  },
};
const conditions = {
  chambre: "chambre = @chambre",
  type: "type = @type",
  source: "source = @source",
  depuis: "date_event >= @depuis",
  jusqua: "date_event <= @jusqua",
  elu: "elu_id = @elu",
};

// One pair of prepared statements for each combination of filters.
const prepared = new Map();
function statements(names) {
  const key = names.join();
  let found = prepared.get(key);
  if (!found) {
    const where = names.map((name) => conditions[name]).join(" and ") || "1";
    found = {
      count: db.prepare(`select count(*) from mouvements where ${where}`).pluck(),
      page: db.prepare(
        `select * from mouvements where ${where}
         order by date_event desc, rowid desc limit @limit offset @offset`
      ),
    };
    prepared.set(key, found);
  }
  return found;
}

fastify.get("/v1/mouvements", { schema: { querystring } }, (request, reply) => {
  const { limit, offset, ...filters } = request.query;
  const { count, page } = statements(Object.keys(filters));
  reply.send({
    total: count.get(filters),
    limit,
    offset,
    mouvements: page.all({ ...filters, limit, offset }),
    licence: "Open Database License (ODbL) 1.0",
    attribution: "Mouvements des collaborateurs parlementaires",
  });
});

fastify.listen({ port: Number(port), host: "127.0.0.1" });
