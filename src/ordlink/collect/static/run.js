"use strict";
// One request per answer: it stores the answer and brings the next question. A request that
// fails is sent again until it is answered; the number makes a second one harmless.
const part = (id) => document.getElementById(id);
const text = (key) => document.querySelector(`[data-text="${key}"]`).textContent;
const section = part("question");
const type = section.dataset.type;
const nChosen = Number(section.dataset.chosen);
let state = null;
let shownAt = 0; // when all stimuli were painted, by the monotonic clock
let blurs = 0;
let chosen = [];
let busy = false;

document.addEventListener("visibilitychange", () => { if (document.hidden) blurs += 1; });

async function send(path, body) {
  for (let wait = 500; ; wait = Math.min(2 * wait, 8000)) {
    try {
      const reply = await fetch(path, body === undefined ? {} : {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      if (reply.status === 401) { location.href = "/join"; return null; }
      if (reply.ok) { part("message").textContent = ""; return await reply.json(); }
      if (reply.status < 500 && reply.status !== 429) { part("message").textContent = "Error " + reply.status; return null; }
    } catch { /* lost: tried again below */ }
    part("message").textContent = text("lost");
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

async function act(path, body) {
  if (busy) return;
  busy = true;
  const next = await send(path, body);
  busy = false;
  if (next) show(next);
}

function element(stimulus) {
  if (stimulus.kind === "text") {
    const span = document.createElement("span");
    span.textContent = stimulus.text;
    return [span, Promise.resolve()];
  }
  const tag = { picture: "img", audio: "audio", video: "video" }[stimulus.kind];
  const media = document.createElement(tag);
  media.src = stimulus.url;
  if (tag === "img") { media.alt = ""; return [media, media.decode().catch(() => {})]; }
  media.controls = true;
  return [media, Promise.resolve()];
}

function groups(stimuli) { // what can be chosen: pairs for quadruplets, single stimuli otherwise
  if (type === "quadruplet") return [stimuli.slice(0, 2), stimuli.slice(2)];
  return (type === "triplet" || type === "rank-2-of-8" ? stimuli.slice(1) : stimuli).map((one) => [one]);
}

function choose(position, device) {
  if (busy || !shownAt || section.hidden) return;
  if (chosen.includes(position)) chosen = chosen.filter((one) => one !== position);
  else chosen.push(position);
  for (const [number, button] of [...part("options").children].entries()) {
    button.setAttribute("aria-pressed", String(chosen.includes(number)));
  }
  if (chosen.length === nChosen) answer(chosen, device);
}

function answer(choice, device) {
  const seconds = (performance.now() - shownAt) / 1000;
  act("/api/answer", { number: state.number, choice, seconds, blurs, device });
}

function show(next) {
  state = next;
  shownAt = 0;
  blurs = 0;
  chosen = [];
  part("progress").max = state.total;
  part("progress").value = state.done;
  section.hidden = state.number === 0;
  part("page").hidden = state.number !== 0;
  part("withdraw").hidden = state.phase === "done";
  if (part("undo")) part("undo").hidden = state.undoable === 0;
  if (state.number === 0) { showPage(); return; }
  part("message").textContent = state.phase === "practice" ? text("practice") : "";
  const waiting = [];
  const anchor = part("anchor");
  anchor.replaceChildren();
  if (type === "triplet" || type === "rank-2-of-8") {
    const [made, ready] = element(state.stimuli[0]);
    anchor.append(made);
    waiting.push(ready);
  }
  part("options").replaceChildren(...groups(state.stimuli).map((group, position) => {
    const button = document.createElement("button");
    button.className = "option";
    for (const stimulus of group) {
      const [made, ready] = element(stimulus);
      button.append(made);
      waiting.push(ready);
    }
    button.addEventListener("click", (event) => {
      choose(position, event.pointerType === "touch" ? "touch" : event.detail ? "mouse" : "keyboard");
    });
    return button;
  }));
  const number = state.number;
  Promise.all(waiting).then(() => requestAnimationFrame(() => requestAnimationFrame(() => {
    if (state.number === number) shownAt = performance.now();
  })));
}

function showPage() {
  const key = { instructions: "instructions", ready: "practice_done", break: "break" }[state.phase];
  const ends = { completed: "debrief", screened_out: "screened_out", closed: "closed", withdrawn: "withdrawn" };
  part("page-text").textContent = text(key || ends[state.outcome] || (state.open ? "waiting" : "closed"));
  part("continue").hidden = !key;
  part("code").textContent = state.code ? text("code") + " " + state.code : "";
  part("finish").hidden = !state.url;
  if (state.url) part("finish").href = state.url;
  if (!key && state.phase !== "done") setTimeout(() => act("/api/state"), 3000);
}

part("continue").addEventListener("click", () => act("/api/continue", { phase: state.phase }));
part("cant-tell")?.addEventListener("click", () => { if (shownAt) answer([], "mouse"); });
part("undo")?.addEventListener("click", () => act("/api/undo", { number: state.undoable }));
part("withdraw").addEventListener("click", () => {
  if (confirm(text("confirm_withdraw"))) act("/api/withdraw", { confirm: true });
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || !state) return;
  if (state.number === 0) return;
  const position = Number(event.key) - 1;
  if (event.key === "0" && part("cant-tell") && shownAt) answer([], "keyboard");
  else if (position >= 0 && position < part("options").children.length) choose(position, "keyboard");
});
act("/api/state");
