import { administrationStatuses, publicStatuses } from "./codes.ts";
import { checkAgainstDocument } from "./document.ts";

export type Answer = {
  status: number;
  headers: Headers;
  text: string;
  /** The body, parsed; undefined when there is none. Numbers beyond 2^53 are rounded: use `text` for them. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
};

/** The configured base address of the service under test, which appears in links. */
export const BASE_URL = "http://petstore.test/v1";

/** The path of what was created, which `Location` names by its URL. */
export function locationOf({ headers }: Pick<Answer, "headers">): string {
  const location = headers.get("Location") ?? "";
  return location.startsWith(`${BASE_URL}/`) ? location.slice(new URL(BASE_URL).origin.length) : location;
}

type Codes = Partial<Record<string, number>>;
type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
type Init = { method?: string; headers?: Record<string, string>; body?: Body };

/** Media types whose bodies are JSON (RFC 6839 for the suffix). */
export const JSON_TYPE = /^application\/([\w.-]+\+)?json$/;
/** The headers of a request that is the last one on its connection. */
export const LAST = { Connection: "close" };
/** How a request may be sent, with headers for it. */
export const WAYS: [name: string, headers: Record<string, string>][] = [
  ["on a connection that stays", {}],
  ["on a connection that ends", LAST],
];

/** The listener that a client calls, and the headers of every request. Read at each request. */
type Caller = { readonly url: string; readonly headers: Record<string, string> };

/** Calls a service, and checks every response against the service's document. */
export class Client {
  readonly #caller: Caller;
  readonly #codes: Codes;

  /** `codes` are the listed error codes, each with its status. */
  constructor(caller: Caller, codes: Codes = publicStatuses) {
    this.#caller = caller;
    this.#codes = codes;
  }

  /** A client of the administration listener. */
  static ofOperator(caller: Caller): Client {
    return new Client(caller, administrationStatuses);
  }

  async request(path: string, { method = "GET", headers = {}, body }: Init = {}): Promise<Answer> {
    const { url, headers: own } = this.#caller;
    const init = {
      method,
      headers: { ...own, ...headers },
      redirect: "manual" as const,
      ...(body !== undefined && { body }),
    };
    const response = await fetch(url + path, init);
    const text = await response.text();
    const isJson = JSON_TYPE.test(response.headers.get("Content-Type") ?? "") && text !== "";
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
    requireListedCode(answer, this.#codes);
    await checkAgainstDocument(url, method, path, answer);
    return answer;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request(path, { headers });
  }

  /** Posts a value as JSON, or a text as it is. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send("POST", path, body, headers);
  }

  put(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send("PUT", path, body, headers);
  }

  patch(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.#send("PATCH", path, body, headers);
  }

  delete(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request(path, { method: "DELETE", headers });
  }

  #send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
    const bytes = new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
    const text = body instanceof Uint8Array ? new Uint8Array(body) : bytes;
    return this.request(path, { method, headers: { "Content-Type": "application/json", ...headers }, body: text });
  }

  /** Makes `count` requests, one after the other, and returns the last response. */
  async spend(count: number): Promise<Answer> {
    let last = await this.get("/v1/pets?limit=1");
    for (let i = 1; i < count; i++) last = await this.get("/v1/pets?limit=1");
    return last;
  }
}

/** The header that carries a key or an operator's token. */
export function bearer(secret: string): Record<string, string> {
  return { Authorization: `Bearer ${secret}` };
}

/** @throws when an error response has an unlisted code, or another status than listed. */
export function requireListedCode({ status, body, text }: Answer, codes: Codes = publicStatuses): void {
  if (status < 400 || text === "") return;
  const listed = Object.hasOwn(codes, body?.code) ? codes[body?.code] : undefined;
  if (listed !== status) throw new Error(`no listed error code goes with ${status}: ${text}`);
}
