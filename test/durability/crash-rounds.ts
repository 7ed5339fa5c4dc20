import { setTimeout as sleep } from "node:timers/promises";
import { readCatalogue } from "./catalogue.ts";
import { type Findings, Ledger } from "./ledger.ts";
import { type Command, Program } from "./program.ts";
import { createKey, StoreDirectory } from "./store-directory.ts";
import { writeUntilGone } from "./writers.ts";

/** One crash: how long the service ran (ms), and totals of all rounds after the restart. */
export type Round = { ranFor: number; acknowledged: number; stored: number; findings: Findings };

/** The service is killed at a random moment in this span after the first acknowledgement, in ms. */
const EARLIEST = 150;
const LATEST = 1_500;

/**
 * Writes at full speed, kills the service at a random moment (SIGKILL), restarts it on the same file and looks for each
 * acknowledged pet; then continues with the same store, first with the idempotent creations that got no response. It shows
 * that pets are committed before they are acknowledged, and that an idempotency key adds one pet. Losses of power have a
 * test of their own, power-loss.ts.
 */
export async function* crashRounds(rounds: number, command?: Command): AsyncGenerator<Round> {
  using directory = new StoreDirectory();
  const secret = await createKey(directory.path);
  const options = { directory: directory.path, ...(command && { command }) };
  const ledger = new Ledger();
  let program = await Program.start(options);
  try {
    for (let round = 0; round < rounds; round++) {
      const ranFor = EARLIEST + Math.random() * (LATEST - EARLIEST);
      const before = ledger.acknowledged;
      const kill = async () => {
        while (program.isRunning && ledger.acknowledged === before) await sleep(5);
        await sleep(ranFor);
        await program.kill();
      };
      await Promise.all([writeUntilGone(program.url, secret, ledger), kill()]);
      program = await Program.start(options);
      const found = await readCatalogue(program.url, secret);
      ledger.askAgain();
      yield { ranFor, acknowledged: ledger.acknowledged, stored: found.length, findings: ledger.check(found) };
    }
  } finally {
    await program.kill();
  }
}
