import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";

/** A request that a receiver got. */
export type Received = {
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
};

/** What a receiver answers: a status, or nothing. */
type Answer = number | "nothing" | "cut";

/** A server on loopback that gets webhooks. It answers 200 until `answer` says something else. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** What it answers, and how it does so. */
  answer: (received: Received) => Answer | Promise<Answer> = () => 200;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const received = await read(request);
      if (received === undefined) return;
      this.received.push(received);
      const answer = await this.answer(received);
      if (answer === "cut") request.socket.destroy();
      else if (answer !== "nothing") response.writeHead(answer).end();
    });
  }

  async start(): Promise<this> {
    this.#server.keepAliveTimeout = 0;
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** How many connections to it are open. It keeps each of them, until the sender ends it. */
  get connections(): Promise<number> {
    return promisify(this.#server.getConnections.bind(this.#server))();
  }

  /** The ids of the events that it got, in order. */
  get eventIds(): number[] {
    return this.received.map(({ body }) => body.data.id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Undefined for a request that was cut off. */
async function read(request: IncomingMessage): Promise<Received | undefined> {
  let text = "";
  try {
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
  } catch {
    return undefined;
  }
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return { headers, text, body: JSON.parse(text) };
}

/** The setting with which a service sends webhooks to receivers on this machine. */
export const RECEIVERS_ALLOWED = { PETSTORE_WEBHOOK_HOSTS: "127.0.0.1" };
