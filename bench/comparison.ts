import { CONNECTIONS, load } from "./load.ts";
import type { Measure } from "./measures.ts";
import { type Contender, type Runs, ratio } from "./rounds.ts";
import { singleCommits } from "./single-commits.ts";
import type { Subject } from "./subject.ts";
import type { Catalogues, Subjects } from "./subjects.ts";
import type { Workplace } from "./workplace.ts";

type Id = keyof Subjects | "loneCreation" | "singleCommit";

/** Everything that is compared by how much it does a second. */
export function contendersOf(
  workplace: Workplace,
  { creation, ...reading }: Subjects,
  { alone }: Catalogues,
): Record<Id, Contender> {
  const contender = (subject: Subject, connections = CONNECTIONS): Contender => ({
    name: subject.name,
    run: (seconds) => load(workplace, subject, seconds, connections),
  });
  const readers = Object.entries(reading).map(([id, subject]) => [id, contender(subject)]);
  return {
    ...(Object.fromEntries(readers) as Record<keyof typeof reading, Contender>),
    creation: contender(creation),
    // A client that waits for each answer before it asks again: nobody shares its commits.
    loneCreation: contender({ ...creation, name: "creations, 1 connection: one commit each" }, 1),
    singleCommit: {
      name: "SQLite alone, one commit a row",
      run: (seconds) => singleCommits(workplace, alone.path, seconds),
    },
  };
}

/** The ratios that have bars, and some to compare them with. */
export function ratiosOf(runs: Runs<Id>): Measure[] {
  const { list, uncachedList, animal, creation, nginxList, nginxAnimal } = runs;
  return [
    over("list of 20, filtered, warm / nginx static", list, nginxList, 0.45),
    over("list of 20, filtered, warm / Fastify hello-world", list, runs.fastify, 1.3),
    over("list of 20, nothing cached / nginx static", uncachedList, nginxList, 0.15),
    over("get by id / nginx static", animal, nginxAnimal, 0.4),
    over("durable creations, 64 connections / one commit each", creation, runs.loneCreation, 8),
    over("list with 1,000,000 animals / with 1,000", runs.largeList, runs.smallList, 0.9),
    over("the same with nothing cached", runs.largeUncachedList, runs.smallUncachedList),
    over("durable creations, 64 connections / SQLite alone, one commit a row", creation, runs.singleCommit),
    over("list of 20, filtered, warm / bare Bun.serve", list, runs.bun),
    over("list of 20, filtered, warm / bare node:http", list, runs.node),
    over("list of 20, filtered, warm / Express hello-world", list, runs.express),
  ];
}

type Rounds = Runs<Id>[Id];

function over(name: string, above: Rounds, below: Rounds, atLeast?: number): Measure {
  return { name, value: ratio(above, below), unit: "", ...(atLeast !== undefined && { bar: { atLeast } }) };
}
