import type { IncomingMessage } from "node:http";
import type { RequestHead } from "../http/app.ts";

/**
 * The head of a request as Node's parser has it. Its `Request` would take 1 µs, and the objects that Node and the adapter make
 * of its headers another 4 µs.
 */
export class IncomingHead implements RequestHead {
  readonly #incoming: IncomingMessage;
  readonly #origin: string;

  /** `host`: of the URL; the header Host changes nothing. */
  constructor(incoming: IncomingMessage, host: string) {
    this.#incoming = incoming;
    this.#origin = `http://${host}`;
  }

  get method(): string {
    return this.#incoming.method ?? "";
  }

  get url(): string {
    return this.#origin + this.#incoming.url;
  }

  get headers(): this {
    return this;
  }

  /** Returns a header as `Headers` does: the values of several with one name are joined. */
  get(name: string): string | null {
    const names = this.#incoming.rawHeaders;
    let found: string | null = null;
    // Names and values take turns.
    for (let i = 0; i < names.length; i += 2) {
      const each = names[i] ?? "";
      if (each.length !== name.length || each.toLowerCase() !== name.toLowerCase()) continue;
      const value = names[i + 1] ?? "";
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }
}
