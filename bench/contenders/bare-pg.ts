import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** A server to ask, and for how many seconds; those of the warm-up come first and do not count. */
export type Queries = { url: string; warmUp: number; seconds: number };
/** Answers, and the milliseconds that they took. */
export type Answers = { answers: number; milliseconds: number };

/** As many connections as a node holds where nothing else is said, and as many callers as wrk has connections. */
const POOL = 10;
const CALLERS = 64;

/** What the service asks for a page of 20: one more row shows whether others follow. */
const page = {
  name: "page",
  text: "SELECT id, name, category_id, status FROM petstore.pets WHERE id > $1 AND status = $3 ORDER BY id LIMIT $2",
  values: [0, 21, "available"],
};

/** The list's query by the bare client: callers of which each asks again as soon as it is answered. */
async function ask({ url, warmUp, seconds }: Queries): Promise<Answers> {
  const pool = new pg.Pool({ connectionString: url, max: POOL });
  let answers = 0;
  let isOver = false;
  const call = async () => {
    while (!isOver) {
      const { rows } = await pool.query(page);
      if (rows.length !== page.values[1]) throw new Error(`an answer has ${rows.length} rows`);
      answers += 1;
    }
  };
  const measure = async () => {
    await sleep(warmUp * 1000);
    const [before, begin] = [answers, performance.now()];
    await sleep(seconds * 1000);
    const measured = { answers: answers - before, milliseconds: performance.now() - begin };
    isOver = true;
    return measured;
  };
  const [measured] = await Promise.all([measure(), ...Array.from({ length: CALLERS }, call)]);
  await pool.end();
  return measured;
}

console.log(JSON.stringify(await ask(JSON.parse(process.argv[2] ?? ""))));
