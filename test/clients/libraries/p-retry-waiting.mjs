/** fetch with p-retry, waiting as docs/retry-libraries.md advises. */
import { setTimeout } from "node:timers/promises";
import pRetry, { AbortError } from "p-retry";
import { makeCalls } from "./calls.mjs";

/** Waits for `Retry-After`, then lets p-retry repeat the request. */
async function attempt(url, call) {
  const response = await fetch(url, call);
  if (response.ok) return response;
  if (![409, 429, 500, 503].includes(response.status)) throw new AbortError(`status ${response.status}`);
  await setTimeout(1000 * Number(response.headers.get("Retry-After") ?? 0));
  throw new Error(`status ${response.status}`);
}

const send = (url, call) => pRetry(() => attempt(url, call), { retries: 5, randomize: true });

makeCalls(async ({ url, ...call }) => (await send(url, call)).status);
