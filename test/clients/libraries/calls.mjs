import { createInterface } from "node:readline";

/**
 * Makes each call that arrives as a line of JSON on standard input, all at once, and prints a line with its outcome.
 *
 * @param {(call: { method: string, url: string, headers: Record<string, string>, body?: string }) => Promise<number>} send
 *   resolves with the status of the last response
 */
export function makeCalls(send) {
  createInterface({ input: process.stdin }).on("line", async (line) => {
    const { id, ...call } = JSON.parse(line);
    const outcome = await send(call).then(
      (status) => ({ status }),
      (error) => ({ error: String(error) }),
    );
    console.log(JSON.stringify({ id, ...outcome }));
  });
  console.log("ready");
}
