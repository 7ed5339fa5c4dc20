import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { firstFound, matches } from "./controls.ts";
import type { ReceivedWebhook, WebhookReceiver } from "./petstore.ts";

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
  const listeners = new Set<() => Promise<void>>();
  const server = createServer(async (request, response) => {
    const body = await textOf(request).catch(() => undefined);
    if (body === undefined) return;
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const webhook = { headers, body, message: JSON.parse(body) };
    received.push(webhook);
    for (const listener of listeners) void listener();
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
    waitFor: (filter, options) =>
      firstFound(
        {
          what: "receiver.waitFor: no webhook",
          filter,
          look: () => received.find(({ message: { type, data } }) => matches({ type, subject: data.subject }, filter)),
          follow: (listener) => {
            listeners.add(listener);
            return () => listeners.delete(listener);
          },
        },
        options,
      ),
    close,
    [Symbol.asyncDispose]: close,
  };
  return receiver;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  return text;
}
