import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** A server, and the duration in seconds. The warm-up comes first and does not count. */
export type Queries = { url: string; warmUp: number; seconds: number };
/** The number of answers, and their duration. */
export type Answers = { answers: number; milliseconds: number };

/** The default pool of a node, and as many concurrent calls as wrk has connections. */
const POOL = 10;
const CALLERS = 64;

/** The service's query for a page of 20: the additional row shows whether another page follows. */
const page = {
  name: "page",
  text: "SELECT id, name, category_id, status FROM petstore.pets WHERE id > $1 AND status = $3 ORDER BY id LIMIT $2",
  values: [0, 21, "available"],
};

/** Runs the list's query with the bare client. Each caller sends the next query after an answer. */
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
