// The walk with openapi-fetch, typed by what openapi-typescript made.
import createClient from "openapi-fetch";
import type { paths } from "./schema";
import { walk } from "./walk";

void walk((baseUrl, key) => {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  const client = createClient<paths>({ baseUrl, headers });
  return {
    search: (query, header) => client.GET("/v1/mouvements", { params: { query, header } }),
    movement: (id) => client.GET("/v1/mouvements/{id}", { params: { path: { id } } }),
    changes: (query) => client.GET("/v1/changements", { params: { query } }),
    stays: (query) => client.GET("/v1/collaborations", { params: { query } }),
    stay: (id) => client.GET("/v1/collaborations/{id}", { params: { path: { id } } }),
    stayChanges: (query) => client.GET("/v1/collaborations/changements", { params: { query } }),
    members: (query) => client.GET("/v1/elus", { params: { query } }),
    coverage: () => client.GET("/v1/couverture"),
    quota: () => client.GET("/v1/quota"),
    everything: async () => {
      const { data, error } = await client.GET("/fichiers/tout", { parseAs: "blob" });
      return { data: data as unknown as Blob, error };
    },
    description: () => client.GET("/v1/openapi.json"),
  };
});
