import { setTimeout as sleep } from "node:timers/promises";
import { MixedLoad } from "../support/mixed-load.ts";
import { AcknowledgedChanges } from "./acknowledged-changes.ts";
import { violations } from "./invariants.ts";
import { type Command, Program } from "./program.ts";
import { createKey, StoreDirectory } from "./store-directory.ts";

/** One crash: how long the service ran (ms), the changes acknowledged so far, and what is wrong after the restart. */
export type ChangeRound = { ranFor: number; acknowledged: number; findings: string[] };

/** The service is killed at a random moment in this span after the first acknowledged change of the round, in ms. */
const EARLIEST = 150;
const LATEST = 1_500;

/**
 * Creates, changes, removes and orders pets at full speed, kills the service at a random moment (SIGKILL), restarts it on
 * the same file, and looks for every acknowledged change and for what must always be true.
 */
export async function* changeRounds(rounds: number, command?: Command): AsyncGenerator<ChangeRound> {
  using directory = new StoreDirectory();
  const secret = await createKey(directory.path);
  const options = { directory: directory.path, ...(command && { command }) };
  const acknowledged = new AcknowledgedChanges();
  const load = new MixedLoad({ secret, record: (entry) => acknowledged.record(entry) });
  let program = await Program.start(options);
  try {
    for (let round = 0; round < rounds; round++) {
      const ranFor = EARLIEST + Math.random() * (LATEST - EARLIEST);
      const before = acknowledged.count;
      const kill = async () => {
        while (program.isRunning && acknowledged.count === before) await sleep(5);
        await sleep(ranFor);
        await program.kill();
      };
      await Promise.all([load.run([program.url], () => !program.isRunning), kill()]);
      program = await Program.start(options);
      const lost = await acknowledged.lost(program.url, secret);
      const findings = [...lost, ...(await violations(program.url, secret))];
      yield { ranFor, acknowledged: acknowledged.count, findings };
    }
  } finally {
    await program.kill();
  }
}
