// Build a call of the interface, run it with the visitor's key, show what comes back.
"use strict";

(() => {
  const form = document.querySelector("form.try");
  const answer = document.querySelector("[data-answer]");
  if (!form || !answer) return;
  const key = form.querySelector("[data-key]");
  const shown = (name) => answer.querySelector(`[data-${name}]`);
  // What a script may read is what the interface exposes; the order is that of the documentation.
  const HEADERS = ["x-ratelimit-limit", "x-ratelimit-remaining", "ratelimit", "retry-after", "etag"];
  const MOST = 60000;

  const address = () => {
    const query = new URLSearchParams();
    for (const field of form.elements) {
      if (field.name && field.value.trim()) query.set(field.name, field.value.trim());
    }
    const text = query.toString();
    return new URL(form.dataset.route + (text ? `?${text}` : ""), location.href).href;
  };

  const spell = () => {
    form.querySelector("[data-call]").textContent =
      `curl -H "Authorization: Bearer VOTRE_CLE" \\\n  "${address()}"`;
  };

  const show = (status, headers, body) => {
    shown("status").textContent = status;
    shown("headers").replaceChildren(
      ...headers.map(([name, value]) => {
        const line = document.createElement("div");
        const term = document.createElement("dt");
        const text = document.createElement("dd");
        term.textContent = name;
        text.textContent = value;
        line.append(term, text);
        return line;
      }),
    );
    shown("body").textContent = body.length > MOST ? `${body.slice(0, MOST)}\n…` : body;
    answer.hidden = false;
    answer.focus();
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const sent = key.value.trim() ? { Authorization: `Bearer ${key.value.trim()}` } : {};
    try {
      const response = await fetch(address(), { headers: sent, credentials: "omit", cache: "no-store" });
      const headers = HEADERS.filter((name) => response.headers.has(name)).map((name) => [
        name,
        response.headers.get(name),
      ]);
      const text = await response.text();
      let body = text;
      try {
        body = JSON.stringify(JSON.parse(text), null, 2);
      } catch {
        // Not JSON: shown as it came.
      }
      show(`${response.status} ${response.statusText}`, headers, body);
    } catch {
      show("Pas de réponse", [], "Le site n’a pas répondu : vérifiez votre connexion.");
    }
  });
  form.addEventListener("input", spell);
  document.querySelector("[data-without-script]").remove();
  form.hidden = false;
  spell();
})();
