// Copy the new key: the button appears only where the browser can do it.
"use strict";

for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    const said = document.querySelector("[data-copied]");
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = "Copiée.";
    } catch {
      field.select();
      said.textContent = "La copie a été refusée : la clé est sélectionnée, copiez-la au clavier.";
    }
    said.hidden = false;
  });
}
