// The dashboard stays up to date by itself: the page is asked for again, and the parts that
// changed are put in place of the old ones.
const SHORTEST_WAIT = 3000;
const part = (id) => document.getElementById(id);

async function refresh() {
  const begun = performance.now();
  try {
    const reply = await fetch(location.pathname + location.search, { signal: AbortSignal.timeout(30000) });
    if (reply.redirected) location.replace(reply.url); // the session has ended
    else if (reply.ok) update(new DOMParser().parseFromString(await reply.text(), "text/html"));
    say("");
  } catch {
    say("Connection to the server lost; retrying.");
  }
  // A large study takes long to sum up: never ask more than a tenth of the time.
  setTimeout(refresh, Math.max(SHORTEST_WAIT, 10 * (performance.now() - begun)));
}

function say(message) {
  part("lost").className = message ? "banner lost" : "banner";
  if (part("lost").textContent !== message) part("lost").textContent = message;
}

function update(fresh) {
  if (document.hidden || part("sure").open) return;
  for (const old of document.querySelectorAll("[data-live]")) {
    const made = fresh.getElementById(old.id);
    if (made && made.innerHTML !== old.dataset.last && made.innerHTML !== old.innerHTML) replace(old, made);
  }
}

function replace(old, made) {
  const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
  const html = made.innerHTML;
  for (const open of old.querySelectorAll("details[open]")) {
    const same = made.querySelector(`#${open.id}`);
    if (same) same.open = true;
  }
  keepPictures(old, made);
  old.replaceChildren(...document.adoptNode(made).childNodes);
  old.dataset.last = html;
  if (focused) part(focused)?.focus({ preventScroll: true });
}

// A picture that is on the screen already moves to its new place, so that it does not flicker.
function keepPictures(old, made) {
  for (const picture of made.querySelectorAll("image")) {
    const href = picture.getAttribute("href");
    const same = old.querySelector(`image[href="${CSS.escape(href)}"]`);
    if (!same) continue;
    for (const name of ["x", "y", "width", "height"]) same.setAttribute(name, picture.getAttribute(name));
    picture.replaceWith(same);
  }
}

// Ask before what cannot be undone.
let waiting = null;

document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm;
  if (!question || event.submitter === waiting) return;
  event.preventDefault();
  waiting = event.submitter;
  part("sure-words").textContent = question;
  part("sure").showModal();
});
part("sure-yes").addEventListener("click", () => waiting.form.requestSubmit(waiting));
part("sure").addEventListener("close", () => { waiting = null; });

setTimeout(refresh, SHORTEST_WAIT);
