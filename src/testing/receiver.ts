import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { EVENT_TIMEOUT } from "./controls.ts";
import type { EventFilter, ReceivedWebhook, WebhookReceiver } from "./petstore.ts";

/** The secret of each receiver, so that tests are the same each time. */
const SECRET = "whsec_cGV0c3RvcmUgd2ViaG9va3MgaW4gdGVzdHM=";

/**
 * Starts a receiver of webhooks on a free port of 127.0.0.1. It is the `webhook` of a pet store that sends its events there. Close it,
 * or declare it with `await using`.
 *
 *     await using receiver = await startWebhookReceiver();
 *     await using store = await startPetstore({ webhook: receiver });
 */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const listeners = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const body = await textOf(request).catch(() => undefined);
    if (body === undefined) return;
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const webhook = { headers, body, message: JSON.parse(body) };
    received.push(webhook);
    for (const listener of listeners) listener();
    response.writeHead(await receiver.answer(webhook)).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/webhooks`,
    secret: SECRET,
    received,
    answer: () => 204,
    async waitFor(filter, { timeout = EVENT_TIMEOUT } = {}) {
      const { promise, resolve } = Promise.withResolvers<ReceivedWebhook>();
      const look = () => {
        const found = received.find(({ message }) => matches(message, filter));
        if (found !== undefined) resolve(found);
      };
      const over = new AbortController();
      const late = pause(timeout, undefined, { signal: over.signal }).then(() => {
        throw new Error(`receiver.waitFor: no webhook within ${timeout} ms matches ${JSON.stringify(filter)}.`);
      });
      listeners.add(look);
      look();
      try {
        return await Promise.race([promise, late]);
      } finally {
        listeners.delete(look);
        over.abort();
        late.catch(() => {});
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return receiver;
}

function matches({ type, data }: ReceivedWebhook["message"], filter: EventFilter): boolean {
  return (filter.type ?? type) === type && (filter.subject ?? data.subject) === data.subject;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  return text;
}
