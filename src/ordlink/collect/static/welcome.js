"use strict";
const message = document.getElementById("message");

async function join(agree) {
  try {
    const reply = await fetch("/api/join", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ agree, search: location.search.slice(0, 2000) }),
    });
    const state = await reply.json();
    if (!reply.ok) message.textContent = state.detail;
    else if (state.outcome === "declined" || state.outcome === "closed") {
      message.textContent = message.dataset[state.outcome] + (state.code ? " " + state.code : "");
    } else location.href = "/run";
  } catch {
    message.textContent = message.dataset.lost;
  }
}

document.getElementById("agree")?.addEventListener("click", () => join(true));
document.getElementById("decline")?.addEventListener("click", () => join(false));
