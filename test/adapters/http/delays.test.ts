import { expect, test } from "bun:test";
import type { AdmittedContext } from "../../../src/adapters/http/operations/operation.ts";
import { Delays } from "../../../src/adapters/http/simulation.ts";

const LONG = 30_000;

/** A request, and the pauses that its connection was allowed. */
function waiting(signal: AbortSignal): { context: AdmittedContext; pauses: number[] } {
  const pauses: number[] = [];
  const connection = { allowPause: (milliseconds: number) => void pauses.push(milliseconds) };
  const request = new Request("http://pets.test/v1/pets", { signal });
  return { context: { request, connection, key: { id: "key_1" } } as AdmittedContext, pauses };
}

test("a connection is allowed the pause of a delay, and none after it", async () => {
  const { context, pauses } = waiting(new AbortController().signal);
  const delays = new Delays(new AbortController().signal);
  delays.enter("key_1");
  await delays.wait(context, 5);
  expect(pauses).toEqual([5, 0]);
});

test.each([
  ["the client has left", AbortSignal.abort(), new AbortController().signal],
  ["the service stops", new AbortController().signal, AbortSignal.abort()],
])("a delay ends at once when %s during the work", async (_, client, stopping) => {
  const delays = new Delays(stopping);
  delays.enter("key_1");
  await delays.wait(waiting(client).context, LONG);
  // Its place is free: there are as many as ever.
  for (let i = 0; i < 100; i++) delays.enter("key_1");
  expect(() => delays.enter("key_1")).toThrow("100 requests of this key wait already");
});
