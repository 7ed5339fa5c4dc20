import type { Catalogue } from "./catalogue.ts";
import type { Measure } from "./measures.ts";
import { LIST } from "./requests.ts";
import { median } from "./rounds.ts";
import { npmStart } from "./servers.ts";
import type { Workplace } from "./workplace.ts";

/** From starting the program to its first answers, in ms: to `/livez`, and to a list. */
type Start = { alive: number; list: number };

/** The median of several starts, each after a clean stop, on a database that is there already. */
export async function measureStart(workplace: Workplace, catalogue: Catalogue, times: number): Promise<Measure[]> {
  const starts: Start[] = [];
  while (starts.length < times) starts.push(await startOnce(workplace, catalogue));
  const [alive, list] = [median(starts.map((start) => start.alive)), median(starts.map((start) => start.list))];
  return [
    { name: "start to first answer, existing database", value: list, unit: "ms", bar: { below: 500 } },
    { name: "start to alive, existing database", value: alive, unit: "ms" },
  ];
}

async function startOnce(workplace: Workplace, catalogue: Catalogue): Promise<Start> {
  const before = performance.now();
  const server = await npmStart(workplace, catalogue);
  await requireOk(fetch(`${server.url}/livez`));
  const alive = performance.now() - before;
  await requireOk(fetch(`${server.url}${LIST}`, { headers: { Authorization: `Bearer ${catalogue.secret}` } }));
  const list = performance.now() - before;
  await server.stop();
  return { alive, list };
}

async function requireOk(answer: Promise<Response>): Promise<void> {
  const { status, url } = await answer;
  if (status !== 200) throw new Error(`The first answer of ${url} was ${status}.`);
}
