import { getPath } from "hono/utils/url";
import type { Clock } from "../domain/time.ts";
import type { ReceivedRequest } from "./petstore.ts";

/** How many are kept, so that a pet store that runs for long does not fill the memory. */
const MOST = 10_000;

const CREDENTIALS = ["authorization", "cookie", "proxy-authorization"];
const REDACTED = "[redacted]";
const BEARER = /^Bearer +/i;

/** A request that is being answered. */
type Entry = { -readonly [Property in keyof ReceivedRequest]: ReceivedRequest[Property] };

/** Returns the id of a key of this pet store, by its text. */
type KeyIdOf = (key: string) => string | undefined;

/** Records what arrives: the last requests. */
export class ReceivedRequests {
  readonly #clock: Clock;
  readonly #keyIdOf: KeyIdOf;
  #entries: Entry[] = [];

  constructor(clock: Clock, keyIdOf: KeyIdOf) {
    this.#clock = clock;
    this.#keyIdOf = keyIdOf;
  }

  get all(): readonly ReceivedRequest[] {
    return [...this.#entries];
  }

  clear(): void {
    this.#entries = [];
  }

  /** Adds a request. Its answer and what is read of its body are added to what it returns. */
  add(request: Request, planned: string | undefined): Entry {
    const query = request.url.indexOf("?");
    const keyId = this.#keyIdOf((request.headers.get("Authorization") ?? "").replace(BEARER, ""));
    const headers = Object.fromEntries(
      [...request.headers].map(([name, value]) => [name, isSecret(name, keyId) ? REDACTED : value]),
    );
    const entry: Entry = {
      at: new Date(this.#clock()),
      method: request.method,
      path: getPath(request),
      query: query === -1 ? "" : request.url.slice(query + 1),
      headers,
      body: undefined,
      keyId,
      planned,
      status: undefined,
    };
    this.#entries.push(entry);
    if (this.#entries.length > MOST) this.#entries.shift();
    return entry;
  }
}

function isSecret(name: string, keyId: string | undefined): boolean {
  return CREDENTIALS.includes(name) && !(name === "authorization" && keyId !== undefined);
}

/** Returns the request with a body that adds to the entry what is read of it, and with further headers. */
export function observed(request: Request, entry: Entry, added: Record<string, string>): Request {
  const headers = new Headers(request.headers);
  for (const [name, value] of Object.entries(added)) headers.set(name, value);
  const { url, method, signal, body } = request;
  // Its Host is invalid, which the service refuses.
  if (!URL.canParse(url)) return request;
  if (body === null) return new Request(url, { method, headers, signal });
  const decoder = new TextDecoder();
  const reading = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      entry.body = (entry.body ?? "") + decoder.decode(chunk, { stream: true });
      controller.enqueue(chunk);
    },
  });
  const init = { method, headers, signal, body: body.pipeThrough(reading), duplex: "half" };
  return new Request(url, init);
}
