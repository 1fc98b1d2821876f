// Stimuli as elements. Texts are set as text, never as HTML.
import { persist } from "./connection.js";

const TAGS = { picture: "img", audio: "audio", video: "video" };
const LONG_TEXT = 60; // letters; longer texts are set smaller

export const isPlayed = (stimulus) => stimulus.kind === "audio" || stimulus.kind === "video";

// Return the element of a stimulus once it can be painted at once.
export async function load(stimulus, words, banner) {
  if (stimulus.kind === "text") return write(stimulus.text);
  return persist(async () => {
    const media = make(stimulus, words[stimulus.kind]);
    if (await isReady(media)) return media;
    try { // is it the connection, or is there no such file?
      const reply = await fetch(stimulus.url, { cache: "reload" });
      if (reply.ok) media.src = stimulus.url; // loads it again
      if (reply.ok && await isReady(media)) return media;
      return reply.status >= 500 ? undefined : write(`${words[stimulus.kind]}: ${words.missing}`);
    } catch {
      return undefined;
    }
  }, banner);
}

export function element(tag, className, text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

const write = (text) => element("span", text.length > LONG_TEXT ? "text long" : "text", text);

function make(stimulus, label) {
  const media = element(TAGS[stimulus.kind], stimulus.kind);
  if (isPlayed(stimulus)) {
    media.controls = true;
    media.playsInline = true;
    media.preload = "auto";
    media.setAttribute("aria-label", label);
  } else {
    media.alt = label;
    media.draggable = false;
  }
  media.src = stimulus.url;
  return media;
}

function isReady(media) {
  if (media.decode) return media.decode().then(() => true, () => false);
  return new Promise((resolve) => {
    if (media.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) resolve(true);
    media.addEventListener("loadeddata", () => resolve(true), { once: true });
    media.addEventListener("suspend", () => resolve(true), { once: true }); // loads on play
    media.addEventListener("error", () => resolve(false), { once: true });
  });
}
