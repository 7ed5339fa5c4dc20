import { afterAll } from "bun:test";
import { newSecret } from "../../src/domain/keys/secret.ts";
import type { RunningService } from "../support/service.ts";
import { useKey, useService } from "../support/use-service.ts";
import { Connection, type Outcome } from "./connection.ts";
import type { WireAnswer } from "./wire.ts";

/** The time limit of an immediate response, in ms. */
export const SOON = 5_000;

/** A service to attack, with a key of ample limits. */
export type Target = { readonly service: RunningService; readonly secret: string; readonly headers: string };

/** A target for the tests of a file. After the last test it must still work. */
export function useTarget(env: Record<string, string> = {}): Target {
  // Before the service is removed.
  afterAll(() => requireUnharmed(target));
  const service = useService({ env });
  const { key } = useKey(service);
  const target = {
    service,
    get secret() {
      return key.secret;
    },
    get headers() {
      return `Host: petstore.test\r\nAuthorization: Bearer ${key.secret}\r\n`;
    },
  };
  return target;
}

/** @throws unless the service still answers, is the same process as before, and logged no error */
async function requireUnharmed({ service, secret }: Target): Promise<void> {
  const answer = await service.withSecret(secret).get("/v1/pets?limit=1");
  const { exitCode, signalCode } = service.process;
  if (answer.status !== 200 || exitCode !== null || signalCode !== null) {
    throw new Error(`the service did not outlive the attack:\n${service.output.join("\n")}`);
  }
  const errors = service.output.filter((line) => /"level":[56]0/.test(line));
  if (errors.length > 0) throw new Error(`the service logged errors:\n${errors.join("\n")}`);
}

/** Sends bytes on a new connection, and returns its outcome when `until` resolves. */
export async function attack<T>(
  target: Target,
  bytes: string | Uint8Array,
  until: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await Connection.open(target.service.url);
  try {
    connection.send(bytes);
    return await until(connection);
  } finally {
    connection.close();
  }
}

/** Sends bytes after which the peer must close the connection. */
export function untilClosed(target: Target, bytes: string | Uint8Array, within = SOON): Promise<Outcome> {
  return attack(target, bytes, (connection) => connection.untilClosed(within));
}

/** The final response to a complete request; undefined if the connection is closed without one. */
export function answerTo(target: Target, bytes: string, method = "GET"): Promise<WireAnswer | undefined> {
  return attack(target, "", (connection) => connection.ask(method, bytes, SOON));
}

/** A well-formed secret that does not exist. */
export const unknownSecret = newSecret("production");

/** Whether the catalogue contains a pet with this name. */
export async function isInCatalogue({ service, secret }: Target, name: string): Promise<boolean> {
  const answer = await service.withSecret(secret).get("/v1/pets?limit=100");
  return answer.body.some((pet: { name: string }) => pet.name === name);
}
