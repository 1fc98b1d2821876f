// Requests that are sent again until they are answered; the server takes each only once.
export const ROOT = document.documentElement.dataset.root; // the path below which the study is
const SHORTEST_WAIT = 500;
const LONGEST_WAIT = 8000;
const PATIENCE = 15000; // a request that hangs longer is given up and sent again

// The server understood and said no: sending it again would not help.
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

// Resolve after a while, or as soon as the browser says that it is connected again.
function pause(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    addEventListener("online", resolve, { once: true });
  });
}

// Call an attempt until it returns something; it returns undefined while the connection is lost.
export async function persist(attempt, { lost, back }) {
  let isLost = false;
  for (let wait = SHORTEST_WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
    const result = await attempt();
    if (result !== undefined) {
      if (isLost) back();
      return result;
    }
    isLost = true;
    lost();
    await pause(wait);
  }
}

// Send JSON, or just ask where there is none, and return what comes back.
export function send(path, body, banner) {
  const options = body === undefined ? {} : {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  return persist(async () => {
    let reply;
    let content;
    try {
      reply = await fetch(ROOT + path, { ...options, signal: AbortSignal.timeout(PATIENCE) });
      content = await reply.json();
    } catch {
      return undefined;
    }
    if (reply.ok) return content;
    if (reply.status >= 500 || reply.status === 429) return undefined;
    throw new Refused(reply.status, typeof content.detail === "string" ? content.detail : "");
  }, banner);
}
