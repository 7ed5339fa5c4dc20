import { createCatalogue } from "./catalogue.ts";
import type { Effort } from "./effort.ts";
import { tell } from "./progress.ts";
import { LIST } from "./requests.ts";
import { npmStart } from "./servers.ts";
import type { Workplace } from "./workplace.ts";

const SIZE = 1_000_000;

/** In ms, several times: from running what `npm start` runs to the first list, on a database cleanly left before. */
export async function measureStart(workplace: Workplace, { rounds }: Effort): Promise<number[]> {
  tell(`${rounds} starts`);
  const catalogue = await createCatalogue(workplace.path("petstore.db"), SIZE);
  const durations: number[] = [];
  while (durations.length < rounds) {
    const before = performance.now();
    await using server = await npmStart(workplace, catalogue);
    const response = await fetch(`${server.url}${LIST}`, { headers: { Authorization: `Bearer ${catalogue.secret}` } });
    durations.push(performance.now() - before);
    if (!response.ok) throw new Error(`the first answer was ${response.status}`);
  }
  return durations;
}
