import { ConnectionLost, KeepAliveConnection, requestText } from "../support/keep-alive.ts";
import type { Ledger } from "./ledger.ts";

const CONNECTIONS = 64;
/** One of so many creations is a batch. */
const BATCHES = 8;

/**
 * Adds pets and batches of pets on 64 connections, each the next one as soon as the last is acknowledged, until the service is gone.
 * @throws for a response other than 201
 */
export async function writeUntilGone(url: string, secret: string, ledger: Ledger): Promise<void> {
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => KeepAliveConnection.open(url)));
  await Promise.all(connections.map((connection) => writeOn(connection, secret, ledger)));
}

async function writeOn(connection: KeepAliveConnection, secret: string, ledger: Ledger): Promise<void> {
  for (let i = 0; ; i++) {
    const { number, path, body, idempotencyKey } = ledger.next(i % BATCHES === 0);
    try {
      const headers = idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey };
      const answer = await connection.request(requestText("POST", path, secret, body, headers));
      if (answer.status !== 201) throw new Error(`a creation was answered ${answer.status}: ${answer.body}`);
      ledger.acknowledge(number, answer.body);
    } catch (error) {
      if (error instanceof ConnectionLost) return;
      throw error;
    }
  }
}
