/** fetch with p-retry, waiting as docs/retry-libraries.md advises. */
import { setTimeout } from "node:timers/promises";
import pRetry, { AbortError } from "p-retry";
import { makeCalls } from "./calls.mjs";

/** Waits for `Retry-After`, then lets p-retry repeat the request. */
async function attempt(url, call) {
  const response = await fetch(url, call);
  if (response.ok) return response;
  const error = new Error(`status ${response.status}`);
  const seconds = response.headers.get("Retry-After");
  if (seconds === null) throw new AbortError(error);
  await setTimeout(1000 * Number(seconds));
  throw error;
}

function send(url, call) {
  return pRetry(() => attempt(url, call), { retries: 5, randomize: true });
}

makeCalls(async ({ url, ...call }) => (await send(url, call)).status);
