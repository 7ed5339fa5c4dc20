/** What happens to a change: its request does not arrive, its response is lost, or it is refused: 503, or 429. */
export type Loss = "request" | "response" | "refusal" | "limit";

/** What happens while a change is lost. */
type Meanwhile = () => unknown;

/**
 * A `fetch` that loses the first changes (not reads), one in each of these ways, and counts the changes that were sent. What happens
 * meanwhile happens at the first.
 */
export function lossy(losses: Loss | readonly Loss[], meanwhile: Meanwhile = () => {}) {
  const seen = { changes: 0 };
  const unsteady = async (url: string, init: RequestInit) => {
    if (init.method === "GET") return fetch(url, init);
    const loss = [losses].flat()[seen.changes];
    seen.changes += 1;
    if (loss === undefined) return fetch(url, init);
    if (loss === "response") await (await fetch(url, init)).text();
    if (seen.changes === 1) await meanwhile();
    if (loss === "refusal") return new Response("", { status: 503 });
    if (loss === "limit") return new Response("", { status: 429 });
    throw new TypeError(`the ${loss} was lost`);
  };
  return { fetch: unsteady, seen };
}
