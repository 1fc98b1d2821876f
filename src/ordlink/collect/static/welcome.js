// The consent page: join or decline, then go on.
import { Refused, send } from "./connection.js";

const part = (id) => document.getElementById(id);
const words = part("texts").dataset;
const CAME_WITH = "ordlink-came-with"; // read by the page of questions
const buttons = [part("agree"), part("decline")];

async function join(agree) {
  for (const button of buttons) button.disabled = true;
  part("message").textContent = "";
  try {
    const body = { agree, search: location.search.slice(0, 2000) };
    const state = await send("/api/join", body, {
      lost: () => { part("message").textContent = words.lost.split(";")[0]; },
      back: () => { part("message").textContent = ""; },
    });
    if (state.outcome === "declined" || state.outcome === "closed") end(state);
    else {
      localStorage.setItem(CAME_WITH, body.search); // should the cookie be void later
      sessionStorage.clear(); // an answer that somebody else left behind is not this person's
      location.assign("/run");
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    part("message").textContent = error.message;
    for (const button of buttons) button.disabled = false;
  }
}

function end(state) {
  part("invitation").hidden = true;
  part("message").textContent = words[state.outcome];
  part("code").hidden = !state.code;
  part("code").textContent = state.code ? `${words.code} ${state.code}` : "";
  part("finish").hidden = !state.url;
  if (state.url) part("finish").href = state.url;
}

part("agree")?.addEventListener("click", () => join(true));
part("decline")?.addEventListener("click", () => join(false));
