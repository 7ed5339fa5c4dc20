import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, KeepAliveConnection } from "../support/keep-alive.ts";

const ASK_EVERY = 20;

/** The responses of /readyz, each on a new connection, until the service accepts no more connections. */
export async function* readiness(url: string): AsyncGenerator<Answer> {
  for (;;) {
    const answer = await ask(url);
    if (answer === undefined) return;
    yield answer;
    await sleep(ASK_EVERY);
  }
}

/** Resolves when the service accepts no new connections. */
export async function untilGone(url: string): Promise<void> {
  for await (const _ of readiness(url));
}

async function ask(url: string): Promise<Answer | undefined> {
  try {
    const connection = await KeepAliveConnection.open(url);
    const answer = await connection.request("GET /readyz HTTP/1.1\r\nHost: petstore.test\r\n\r\n");
    connection.close();
    return answer;
  } catch {
    return undefined;
  }
}
