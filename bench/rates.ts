import type { Effort } from "./effort.ts";
import type { Run } from "./load.ts";
import { tell } from "./progress.ts";
import { type Load, Stage } from "./stage.ts";
import { type SubjectId, subjects } from "./subjects.ts";
import type { Workplace } from "./workplace.ts";

/** What every subject gave, a run a round; and of those that dropped out, why. */
export type Rates = { runs: Map<SubjectId, Run[]>; failures: Map<SubjectId, string> };

/**
 * Puts every subject under load once a round, after once to warm up that does not count. Machines get faster
 * and slower from minute to minute: what is compared is measured close together, every other round backwards.
 */
export async function measureRates(workplace: Workplace, ids: Set<SubjectId>, effort: Effort): Promise<Rates> {
  await using stage = new Stage(workplace);
  const ready = new Map<SubjectId, Load>();
  const runs = new Map<SubjectId, Run[]>([...ids].map((id) => [id, []]));
  const failures = new Map<SubjectId, string>();

  /** Does something for one subject. It drops out when that fails; the others go on. */
  const attempt = async (id: SubjectId, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      workplace.goOn();
      ready.delete(id);
      runs.delete(id);
      failures.set(id, `${subjects[id].name}: ${error instanceof Error ? error.message : error}`);
    }
  };

  for (const id of ids) {
    tell(`starting and warming up: ${subjects[id].name}`);
    await attempt(id, async () => {
      const load = await stage.prepare(subjects[id]);
      await load(effort.warmUp);
      ready.set(id, load);
    });
  }
  for (let round = 1; round <= effort.rounds && ready.size > 0; round++) {
    tell(`round ${round} of ${effort.rounds}`);
    const entries = [...ready];
    for (const [id, load] of round % 2 === 1 ? entries : entries.reverse()) {
      await attempt(id, async () => runs.get(id)?.push(await load(effort.seconds)));
    }
  }
  return { runs, failures };
}
