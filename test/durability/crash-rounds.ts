import { setTimeout as sleep } from "node:timers/promises";
import { readCatalogue } from "./catalogue.ts";
import { type Findings, Ledger } from "./ledger.ts";
import { type Command, Program } from "./program.ts";
import { createKey, StoreDirectory } from "./store-directory.ts";
import { writeUntilGone } from "./writers.ts";

/** One crash: how long the service ran (ms), and totals over all rounds so far, as found after the restart. */
export type Round = { ranFor: number; acknowledged: number; stored: number; findings: Findings };

/** The service is killed at a random moment in this span after the writers began, in ms. */
const EARLIEST = 150;
const LATEST = 1_500;

/**
 * Writes at full speed, kills the service at a random moment (SIGKILL), starts it again on the same file and looks
 * for every pet that was ever acknowledged; then goes on with the same store, first with those named pets that
 * were not answered. It shows that nothing is acknowledged before it is committed, and that a name adds one pet. That commits outlive a loss of power is SQLite's business (synchronous=FULL), not shown here.
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
      await Promise.all([writeUntilGone(program.url, secret, ledger), sleep(ranFor).then(() => program.kill())]);
      program = await Program.start(options);
      const found = await readCatalogue(program.url, secret);
      ledger.askAgain();
      yield { ranFor, acknowledged: ledger.acknowledged, stored: found.length, findings: ledger.check(found) };
    }
  } finally {
    await program.kill();
  }
}
