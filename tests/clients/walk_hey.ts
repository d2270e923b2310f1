// The walk with the client that @hey-api/openapi-ts made.
import * as api from "./hey";
import { createClient } from "./hey/client";
import { walk } from "./walk";

void walk((baseUrl, key) => {
  const client = createClient({
    baseUrl,
    auth: (asked) => (asked.scheme === "bearer" ? key : undefined),
  });
  return {
    search: (query, headers) => api.mouvements({ client, query, headers }),
    movement: (id) => api.mouvement({ client, path: { id } }),
    changes: (query) => api.changements({ client, query }),
    stays: (query) => api.collaborations({ client, query }),
    stay: (id) => api.collaboration({ client, path: { id } }),
    stayChanges: (query) => api.changementsDesCollaborations({ client, query }),
    members: (query) => api.elus({ client, query }),
    coverage: () => api.couverture({ client }),
    quota: () => api.quota({ client }),
    everything: async () => {
      const { data, error } = await api.fichierComplet({ client, parseAs: "blob" });
      return { data: data as Blob | undefined, error };
    },
    description: () => api.description({ client }),
  };
});
