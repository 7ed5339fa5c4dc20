import type { HistoryEntry } from "../support/calls.ts";
import { KeepAliveConnection, requestText } from "../support/keep-alive.ts";

/** The latest version of a resource that an answer has shown, with the text of the answer. */
type Shown = { version: number; text: string };

/**
 * Remembers what answers have shown of pets and orders, by path. Versions only grow: a store that has lost a change shows
 * an earlier version, or another pet under the same one.
 */
export class AcknowledgedChanges {
  readonly #shown = new Map<string, Shown>();
  readonly #removed = new Set<string>();
  /** Removals without an answer. */
  readonly #maybeRemoved = new Set<string>();
  #count = 0;

  /** The number of acknowledged changes. */
  get count(): number {
    return this.#count;
  }

  record({ call, answer }: HistoryEntry): void {
    if (call.operation === "deletePet") {
      const path = `/v1/pets/${call.petId}`;
      if (answer === undefined) this.#maybeRemoved.add(path);
      if (answer?.status !== 204) return;
      this.#removed.add(path);
      this.#count += 1;
    }
    if (answer?.etag === undefined || Array.isArray(answer.body) || answer.body === undefined) return;
    const folder = /order/i.test(call.operation) ? "/v1/store/orders" : "/v1/pets";
    const shown = { version: versionIn(answer.etag), text: JSON.stringify(answer.body) };
    const path = `${folder}/${answer.body.id}`;
    if (shown.version >= (this.#shown.get(path)?.version ?? 0)) this.#shown.set(path, shown);
    if (!call.operation.startsWith("get")) this.#count += 1;
  }

  /** Returns what the service at `url` does not show any more. */
  async lost(url: string, secret: string): Promise<string[]> {
    const connection = await KeepAliveConnection.open(url);
    const lost: string[] = [];
    for (const [path, { version, text }] of this.#shown) {
      const { status, head, body } = await connection.request(requestText("GET", path, secret));
      const now = status === 200 ? versionIn(/^etag: *(.*?)\r?$/im.exec(head)?.[1] ?? "") : 0;
      if (this.#removed.has(path) ? status === 404 : now > version || (now === version && body === text)) continue;
      if (status === 404 && this.#maybeRemoved.has(path)) continue;
      lost.push(
        `${path} was ${text}, version ${version}${this.#removed.has(path) ? ", and removed" : ""}; now ${body}`,
      );
    }
    connection.close();
    return lost;
  }
}

/** The version in an ETag; NaN if it is another one. */
function versionIn(etag: string): number {
  return Number(/^"v(\d+)"$/.exec(etag)?.[1]);
}
