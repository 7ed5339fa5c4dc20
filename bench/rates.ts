import type { Effort } from "./effort.ts";
import { logProgress } from "./figures.ts";
import type { Run } from "./load.ts";
import { type Load, Stage } from "./stage.ts";
import { type SubjectId, subjectOf } from "./subjects.ts";
import { Untaken } from "./tools.ts";
import type { Workspace } from "./workspace.ts";

/** Why a subject has no runs. */
export type Failure = { result: "failed" | "skipped"; reason: string };
/** The runs of each subject, one per round, and why others have none. */
export type Rates = { runs: Map<SubjectId, Run[]>; failures: Map<SubjectId, Failure> };

/**
 * Puts each subject under load once per round, after a warm-up that does not count. The speed of machines changes from
 * minute to minute, so subjects are measured close together, and every other round runs in reverse order.
 */
export async function measureRates(workspace: Workspace, ids: Set<SubjectId>, effort: Effort): Promise<Rates> {
  await using stage = new Stage(workspace);
  const ready = new Map<SubjectId, Load>();
  const runs = new Map<SubjectId, Run[]>([...ids].map((id) => [id, []]));
  const failures = new Map<SubjectId, Failure>();

  /** Runs a step for one subject. If it fails, the subject drops out and the others continue. */
  const attempt = async (id: SubjectId, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      workspace.throwIfInterrupted();
      ready.delete(id);
      runs.delete(id);
      const reason = `${subjectOf(id).name}: ${error instanceof Error ? error.message : error}`;
      failures.set(id, { result: error instanceof Untaken ? "skipped" : "failed", reason });
    }
  };

  for (const id of ids) {
    logProgress(`starting and warming up: ${subjectOf(id).name}`);
    await attempt(id, async () => {
      const load = await stage.prepare(subjectOf(id));
      await load(effort.warmUp);
      ready.set(id, load);
    });
  }
  for (let round = 1; round <= effort.rounds && ready.size > 0; round++) {
    logProgress(`round ${round} of ${effort.rounds}`);
    const entries = [...ready];
    for (const [id, load] of round % 2 === 1 ? entries : entries.reverse()) {
      await attempt(id, async () => runs.get(id)?.push(await load(effort.seconds)));
    }
  }
  return { runs, failures };
}
