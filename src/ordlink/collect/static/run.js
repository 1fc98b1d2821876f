// The page on which people answer. One request per answer: it stores the answer and brings the
// next question. An answer stays in the browser until the server has it; its number makes a
// second sending harmless.
import { ROOT, Refused, send } from "./connection.js";
import { element, isPlayed, load } from "./stimuli.js";

const TOO_EARLY = 150; // milliseconds: nobody sees and answers that fast; it was a double click
const UNSENT = `ordlink-unsent-answer${ROOT}`;
const CAME_WITH = `ordlink-came-with${ROOT}`; // set by the consent page
const part = (id) => document.getElementById(id);
const words = part("texts").dataset;
const section = part("question");
const forms = [...document.querySelectorAll(".questionnaire")];
const { type } = section.dataset;
const nChosen = Number(section.dataset.chosen);
const hasAnchor = type === "triplet" || type === "rank-2-of-8";

let state = null;
let shownAt = 0; // when all stimuli were painted, by the monotonic clock; 0 while they are not
let chosen = [];
let busy = false;
let blurs = 0;
let isAway = false;

function notice(isGone) {
  if (isGone && !isAway) blurs += 1;
  isAway = isGone;
}

addEventListener("blur", () => notice(true));
addEventListener("focus", () => notice(document.hidden));
document.addEventListener("visibilitychange", () => notice(document.hidden));
addEventListener("pageshow", (event) => { if (event.persisted) act("/api/state"); });

const banner = {
  lost: () => showBanner(words.lost, "lost"),
  back: () => {
    showBanner(words.back, "back");
    setTimeout(() => { if (part("banner").classList.contains("back")) showBanner(""); }, 2500);
  },
};

function showBanner(message, look = "") {
  if (part("banner").textContent !== message) part("banner").textContent = message;
  part("banner").className = `banner ${look}`;
}

async function act(path, body) {
  if (busy) return;
  busy = true;
  section.setAttribute("aria-busy", "true");
  try {
    const next = await send(path, body, banner);
    sessionStorage.removeItem(UNSENT);
    shownAt = 0;
    if (next.number) await showQuestion(next);
    else showPage(next);
    if (path === "/api/answer" && !next.stored) showBanner(words.late, "late");
    else if (part("banner").classList.contains("late")) showBanner("");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    sessionStorage.removeItem(UNSENT);
    if (error.status === 401) location.replace(`${ROOT}/join${localStorage.getItem(CAME_WITH) ?? ""}`);
    else if (error.status === 409) setTimeout(showAnew); // once this request is over
    else offerReload();
  } finally {
    busy = false;
    section.removeAttribute("aria-busy");
  }
}

// Somebody joined in another window of this browser: from now on this page is theirs.
async function showAnew() {
  await act("/api/state");
  showBanner(words.outdated, "late");
}

function offerReload() {
  showBanner(`${words.failed} `, "failed");
  const button = element("button", "quiet", words.reload);
  button.type = "button";
  button.addEventListener("click", () => location.reload());
  part("banner").append(button);
}

const isReady = () => !busy && shownAt > 0 && performance.now() - shownAt >= TOO_EARLY;
const deviceOf = (event) => ({ mouse: "mouse", touch: "touch", pen: "touch" })[event.pointerType] ??
  (event.detail ? "mouse" : "keyboard");

function choose(position, device) {
  if (!isReady()) return;
  chosen = chosen.includes(position) ? chosen.filter((one) => one !== position) : [...chosen, position];
  mark();
  if (chosen.length === nChosen) answer(chosen, device);
}

function answer(choice, device) {
  if (!isReady()) return;
  const seconds = (performance.now() - shownAt) / 1000;
  const body = { visit: state.visit, number: state.number, choice, seconds, blurs, device };
  sessionStorage.setItem(UNSENT, JSON.stringify(body));
  act("/api/answer", body);
}

function undo() {
  if (isReady() && state.undoable) act("/api/undo", { visit: state.visit, number: state.undoable });
}

function mark() {
  for (const [position, card] of [...part("options").children].entries()) {
    const place = chosen.indexOf(position);
    card.classList.toggle("chosen", place >= 0);
    if (nChosen === 1) continue;
    (card.querySelector(".choose") ?? card).setAttribute("aria-pressed", String(place >= 0));
    card.querySelector(".place").textContent = place < 0 ? "" : [words.first, words.second][place];
  }
}

async function showQuestion(next) {
  const waiting = setTimeout(() => { part("live").textContent = words.loading; }, 1500);
  const made = await Promise.all(next.stimuli.map((one) => load(one, words, banner)));
  clearTimeout(waiting);
  state = next;
  chosen = [];
  blurs = 0;
  const fits = state.stimuli.some((one) => one.kind === "picture" || one.kind === "video") &&
    state.stimuli.every((one) => one.kind !== "text");
  const keepsFocus = document.activeElement.matches("#cant-tell, #undo");
  const options = hasAnchor ? made.slice(1) : made;
  const groups = type === "quadruplet" ? [options.slice(0, 2), options.slice(2)] : options.map((one) => [one]);
  const offset = made.length - options.length;
  const isPlayedAt = (position) => isPlayed(state.stimuli[offset + position * groups[0].length]);
  part("options").replaceChildren(...groups.map((group, position) => makeCard(group, position, isPlayedAt(position))));
  showAnchor(made[0]);
  section.hidden = false;
  part("page").hidden = true;
  for (const form of forms) form.hidden = true;
  document.body.classList.toggle("fits", fits);
  section.classList.toggle("wide", areWide(made));
  section.classList.remove("moved");
  part("practice").hidden = state.phase !== "practice";
  if (part("undo")) part("undo").disabled = !state.undoable;
  showProgress();
  if (!keepsFocus) part("prompt").focus({ preventScroll: true });
  scrollTo(0, 0);
  part("live").textContent = describe();
  await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
  shownAt = performance.now();
  section.dataset.number = state.number; // for whoever watches the page: it can be answered
}

// Whether the pictures are wider than high, so that they are larger one above the other.
function areWide(made) {
  const shapes = made.map((one) => (one.naturalWidth ?? one.videoWidth) / (one.naturalHeight ?? one.videoHeight));
  const known = shapes.filter((one) => one > 0 && one < Infinity);
  return known.length > 0 && known.reduce((sum, one) => sum + one, 0) / known.length > 1.15;
}

function makeCard(group, position, isPlayer) {
  const number = position + 1;
  const label = words.option.replace("{number}", number);
  const isPictured = group.some((one) => one.matches(".picture"));
  const card = element(isPlayer ? "div" : "button", isPictured ? "card pictured" : "card");
  card.dataset.size = group.length;
  let button = card;
  if (isPlayer) { // controls inside a button would not work: it gets one of its own
    card.setAttribute("role", "group");
    card.setAttribute("aria-label", label);
    button = element("button", "choose quiet", words.choose.replace("{number}", number));
    card.append(...group, button);
  } else {
    card.append(element("span", "unseen", `${label}: `), ...group);
  }
  button.type = "button";
  button.setAttribute("aria-keyshortcuts", number);
  const key = element("kbd", "", number);
  key.setAttribute("aria-hidden", "true");
  button.append(key);
  if (nChosen > 1) {
    button.setAttribute("aria-pressed", "false");
    card.append(element("span", "place"));
  }
  button.addEventListener("click", (event) => choose(position, deviceOf(event)));
  return card;
}

function showAnchor(made) {
  part("anchor").hidden = !hasAnchor;
  if (!hasAnchor) return;
  part("anchor").replaceChildren(element("figcaption", "", words.reference), made);
  part("anchor").classList.toggle("pictured", made.matches(".picture"));
}

// What a screen reader says when a question appears.
function describe() {
  const parts = [state.phase === "practice" ? words.practice : part("count").textContent];
  if (hasAnchor && state.stimuli[0].kind === "text") parts.push(`${words.reference}: ${state.stimuli[0].text}`);
  return parts.join(". ");
}

function showProgress() {
  const isCounted = state.phase === "break" || (state.phase === "questions" && state.number > 0);
  const done = Math.min(state.done + 1, state.total);
  part("count").textContent = isCounted
    ? words.progress.replace("{done}", state.number ? done : state.done).replace("{total}", state.total)
    : "";
  part("progress").max = state.total || 1;
  part("progress").value = state.outcome === "completed" ? state.total : state.done;
  const isGone = ["withdrawn", "asked_to_withdraw", "declined"].includes(state.outcome);
  part("progress").hidden = isGone || state.total === 0;
  part("withdraw").hidden = isGone;
}

function showPage(next) {
  const wasWaiting = state && state.number === 0 && state.phase === next.phase;
  state = next;
  section.hidden = true;
  part("options").replaceChildren();
  document.body.classList.remove("fits");
  for (const form of forms) form.hidden = form.id !== state.phase;
  part("page").hidden = forms.some((form) => !form.hidden);
  if (part("page").hidden) {
    showProgress();
    part(`${state.phase}-title`).focus();
    return;
  }
  const goesOn = ["instructions", "ready", "break"].includes(state.phase);
  const isOver = state.phase === "done";
  const nothing = state.open ? "waiting" : "paused";
  const page = part(`at-${isOver ? state.outcome : goesOn ? state.phase : nothing}`) ?? part("at-closed");
  part("page-title").textContent = page.dataset.title;
  part("page-text").replaceChildren(page.content.cloneNode(true));
  part("reconsider").hidden = state.outcome !== "declined";
  part("keys").hidden = part("asked").hidden = state.phase !== "instructions";
  part("continue").hidden = !goesOn;
  part("code-part").hidden = !state.code;
  part("code-label").textContent = words.code;
  part("code").textContent = state.code;
  part("finish").hidden = !state.url;
  if (state.outcome === "withdrawn") localStorage.removeItem(CAME_WITH);
  if (state.url) part("finish").href = state.url;
  showProgress();
  if (!wasWaiting) part("page-title").focus(); // otherwise it says the same as before
  if (!goesOn && !isOver) setTimeout(() => act("/api/state"), 3000);
}

part("continue").addEventListener("click", () => act("/api/continue", { visit: state.visit, phase: state.phase }));
for (const form of forms) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const answers = Object.fromEntries(new FormData(form));
    act("/api/continue", { visit: state.visit, phase: form.id, answers });
  });
}
part("cant-tell")?.addEventListener("click", (event) => answer([], deviceOf(event)));
part("undo")?.addEventListener("click", undo);
part("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(state.code);
    part("live").textContent = words.copied;
    part("copy").textContent = words.copied;
  } catch { // not allowed here: select it, so that it can be copied by hand
    getSelection().selectAllChildren(part("code"));
  }
});
part("withdraw").addEventListener("click", () => part("withdraw-dialog").showModal());
part("withdraw-yes").addEventListener("click", () => act("/api/withdraw", { visit: state.visit, confirm: true }));

section.addEventListener("pointermove", () => section.classList.add("moved")); // then hovering shows
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || !state) return;
  if (event.target.closest(".questionnaire")) return;
  if (part("withdraw-dialog").open) return;
  const focused = document.activeElement;
  if (state.number === 0) {
    const isFree = !focused || !focused.matches("button, a");
    if (event.key === "Enter" && isFree && !part("continue").hidden) part("continue").click();
    return;
  }
  const cards = [...part("options").children];
  const position = Number(event.key) - 1;
  if (event.key === "0" && part("cant-tell")) answer([], "keyboard");
  else if (event.key === "Backspace" || event.key.toLowerCase() === "u") undo();
  else if (position >= 0 && position < cards.length) choose(position, "keyboard");
  else if (event.key.startsWith("Arrow") && !focused.matches("audio, video")) {
    const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
    const at = cards.findIndex((card) => card.contains(focused));
    const to = cards[at < 0 ? (step > 0 ? 0 : cards.length - 1) : (at + step + cards.length) % cards.length];
    (to.querySelector(".choose") ?? to).focus();
  } else return;
  event.preventDefault();
});

const unsent = sessionStorage.getItem(UNSENT);
if (unsent) act("/api/answer", JSON.parse(unsent));
else act("/api/state");
