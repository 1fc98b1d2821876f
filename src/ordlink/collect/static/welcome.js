// The consent page: join or decline, then go on; where the study is closed, only return.
import { ROOT, Refused, send } from "./connection.js";

const part = (id) => document.getElementById(id);
const words = part("texts").dataset;
const CAME_WITH = `ordlink-came-with${ROOT}`; // read by the page of questions
const buttons = [...document.querySelectorAll("#agree, #decline, #return")];

// Whether it is a phone: by its screen, since a window may be small on any device.
const isPhone = () => matchMedia("(pointer: coarse)").matches && Math.min(screen.width, screen.height) < 600;

async function join(agree, again = false) {
  const open = [...document.querySelectorAll(".must")].find((box) => !box.checked);
  if (agree && open) {
    part("message").textContent = words.tick_all;
    open.focus();
    return;
  }
  for (const button of buttons) button.disabled = true;
  part("message").textContent = "";
  try {
    const body = { agree, again, search: location.search.slice(0, 2000), phone: isPhone() };
    const state = await send("/api/join", body, {
      lost: () => { part("message").textContent = words.lost.split(";")[0]; },
      back: () => { part("message").textContent = ""; },
    });
    if (["declined", "closed", "phone"].includes(state.outcome)) end(state);
    else {
      localStorage.setItem(CAME_WITH, body.search); // should the cookie be void later
      sessionStorage.clear(); // an answer that somebody else left behind is not this person's
      location.assign(`${ROOT}/run`);
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
  part("code-part").hidden = !state.code;
  part("code").textContent = state.code;
  part("finish").hidden = !state.url;
  if (state.url) part("finish").href = state.url;
}

part("agree")?.addEventListener("click", () => join(true));
part("decline")?.addEventListener("click", () => join(false));
part("return")?.addEventListener("click", () => join(true, true));
