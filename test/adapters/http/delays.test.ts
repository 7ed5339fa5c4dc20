import { expect, test } from "bun:test";
import type { AdmittedContext } from "../../../src/adapters/http/operation.ts";
import { Delays } from "../../../src/adapters/http/simulation.ts";

const LONG = 30_000;

/** A request whose client leaves when `signal` is aborted. */
function waiting(signal: AbortSignal): AdmittedContext {
  return { connection: { signal }, key: { id: "key_1" } } as AdmittedContext;
}

test.each([
  ["the client has left", AbortSignal.abort(), new AbortController().signal],
  ["the service stops", new AbortController().signal, AbortSignal.abort()],
])("a delay ends at once when %s during the work", async (_, client, stopping) => {
  const delays = new Delays(stopping);
  delays.enter("key_1");
  await delays.wait(waiting(client), LONG);
  // Its place is free: there are as many as ever.
  for (let i = 0; i < 100; i++) delays.enter("key_1");
  expect(() => delays.enter("key_1")).toThrow("100 requests of this key wait already");
});
