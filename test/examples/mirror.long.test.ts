import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { freePort } from "../support/ports.ts";
import { type RunningService, startService } from "../support/service.ts";
import { temporaryDirectory } from "../support/temporary.ts";
import { hasGo } from "./go.ts";
import { goSample, typeScriptSample } from "./samples.ts";

const ROOT = join(import.meta.dir, "../..");
const SAMPLES = join(ROOT, "samples/mirror");
const isThere = (program: string) => spawnSync(program, ["--version"]).status === 0;
const directory = temporaryDirectory();
afterAll(() => rmSync(directory, { recursive: true, force: true }));

type State = { name: string; categoryId?: number; status?: string };
type Copy = Record<string, State>;
type Row = { subject: string; name: string; category_id: number | null; status: string | null };

function inDatabase(file: string): Copy {
  using database = new Database(file);
  database.run("PRAGMA busy_timeout = 5000");
  const rows = database.query<Row, []>("SELECT * FROM copy WHERE name IS NOT NULL").all();
  const stateOf = ({ name, category_id, status }: Row): State =>
    category_id === null || status === null ? { name } : { name, categoryId: category_id, status };
  return Object.fromEntries(rows.map((row) => [row.subject, stateOf(row)]));
}

function inFile(file: string): Copy {
  const { copy } = JSON.parse(readFileSync(file, "utf8")) as { copy: Record<string, { data: object | null }> };
  const known = Object.entries(copy).filter(([, { data }]) => data !== null);
  return Object.fromEntries(
    known.map(([subject, { data }]) => {
      const { id, ...state } = data as State & { id: number };
      return [subject, state];
    }),
  );
}

/** The command line of each program of docs/mirror.md, and how its copy is read. */
const programs: [language: string, isHere: boolean, prepare: () => string[], read: (file: string) => Copy][] = [
  ["TypeScript", true, () => typeScriptSample(join(SAMPLES, "mirror.ts"), directory), inDatabase],
  ["Python", isThere("python3"), () => ["python3", join(SAMPLES, "mirror.py")], inDatabase],
  ["Go", hasGo, () => goSample(join(SAMPLES, "mirror.go"), directory), inFile],
  ["shell", isThere("jq"), () => ["sh", join(SAMPLES, "mirror.sh")], inFile],
];

/** What a door answers before the service does: errors that a program survives, as of the service, a proxy or a node that ends. */
const FAULTS = [500, 502, 503, 504];

/**
 * Another address of a service, where each first page of pets is followed by a change of this pet, which is on it. Its first
 * requests get FAULTS.
 */
function doorTo(service: RunningService, pet: bigint) {
  let changes = 0;
  const faults = [...FAULTS];
  return Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0, idleTimeout: 0 },
    async fetch({ url, headers, signal }) {
      const { pathname, search, searchParams } = new URL(url);
      const fault = faults.shift();
      if (fault !== undefined) return new Response("", { status: fault, headers: { "Retry-After": "0" } });
      const response = await fetch(service.url + pathname + search, { headers, signal, decompress: false });
      const isFirst = pathname === "/v1/pets" && !searchParams.has("after");
      changes += 1;
      if (isFirst) await service.stores.pets.update(pet, { name: `Door ${changes}` }, { now: service.now });
      return response;
    },
    // The program is gone.
    error: () => new Response(null, { status: 502 }),
  });
}

/** A program that mirrors a service, with a key of its own. */
class Mirror {
  readonly language: string;
  printed = "";
  readonly #command: string[];
  readonly #file: string;
  readonly #read: (file: string) => Copy;
  readonly #env: Record<string, string>;
  #process: ChildProcess | undefined;

  constructor([language, , prepare, read]: (typeof programs)[number], url: string, key: string) {
    this.language = language;
    this.#command = prepare();
    this.#file = join(directory, `mirror-${language}`);
    this.#read = read;
    this.#env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: url, MIRROR: this.#file };
  }

  start(others: Record<string, string> = {}): void {
    const [program = "", ...args] = this.#command;
    const env = { ...process.env, ...this.#env, ...others };
    this.printed = "";
    // In a group of its own: a shell is killed with the program that it waits for.
    this.#process = spawn(program, args, { env, detached: true, stdio: ["ignore", "pipe", "inherit"] });
    this.#process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.printed += text;
    });
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    process.kill(-child.pid, "SIGKILL");
    await ended;
  }

  /** Whether it gave up. */
  get hasEnded(): boolean {
    return (this.#process?.exitCode ?? null) !== null;
  }

  /** Undefined before there is a copy. */
  get copy(): Copy | undefined {
    try {
      return this.#read(this.#file);
    } catch {
      return undefined;
    }
  }
}

/** What the store has. */
async function contents(client: Client): Promise<Copy> {
  const pets = [...(await client.get("/v1/pets?limit=100")).body];
  pets.push(...(await client.get(`/v1/pets?limit=100&after=${pets.at(-1).id}`)).body);
  const { body: categories } = await client.get("/v1/categories?limit=100");
  const entries = (list: string, items: (State & { id: number })[]) =>
    items.map(({ id, ...state }): [string, State] => [`${list}/${id}`, state]);
  return Object.fromEntries([...entries("pets", pets), ...entries("categories", categories)]);
}

/** Of each mirror's key, per minute. */
const LIMIT = 150;
const RESET = 60;

test("each program has what the store has, through kill -9, refusals and an expired position", async () => {
  states(
    "docs/mirror.md",
    "Follow `GET /v1/events` with `after=<position>` and `Prefer: wait=30`. Ask for the types that you keep, in `types`.",
    "Apply each event whose `version` is above the one that you have. `data` is the whole pet or category; after `.deleted` it is gone. What you copied has no version yet: it is older than each event that follows.",
    "Wait for `Retry-After`, or a second, then longer each time, then repeat.",
    "Between both, your copy may show an older state for a moment;",
    "Those that write a JSON file write it as a whole after each page of events",
  );
  states(
    "docs/events.md",
    "Copy all pages, then follow the feed from the position of the first page. You see a change that came in between twice, with the same `version`, and miss none: your copy is equal to the store.",
    "Mirror the catalogue has a program that does this.",
  );
  states(
    "docs/mirror.md",
    "Your program stops, or is killed | Go on from the position that is stored.",
    "Begin with the copy again, and replace yours: you did not follow for longer than events are kept, or the service was restored from a backup.",
    "Wait as many seconds as `Retry-After` says, then repeat.",
    "Store the copy together with this position, at once: in one transaction, or in one file that replaces the one before.",
    'Store what you applied together with the position in the `Link` with `rel="next"`, at once, also when the page was empty.',
    "A pet that changes while you copy comes twice, in a page and as an event.",
    "Each does all of this, and runs until you stop it:",
    "They read `PETSTORE_API_KEY`, `PETSTORE_BASE_URL` such as `http://127.0.0.1:8080/v1`, and `MIRROR`, the file of the copy.",
  );
  const port = String(await freePort());
  const env = { PORT: port, PETSTORE_BASE_URL: `http://127.0.0.1:${port}/v1` };
  await using service = await startService({ env });
  const client = await service.withKey();
  const keys = await Promise.all(
    programs.map(() => service.createKey({ limits: { perMinute: LIMIT, perDay: 10_000 } })),
  );
  // Changes leave these pets alone.
  const doors = programs.map((_, i) => doorTo(service, 90n + BigInt(i)));
  const mirrors = programs.map((program, i) => {
    const { secret = "" } = keys[i] ?? {};
    return new Mirror(program, `http://127.0.0.1:${doors[i]?.port}/v1`, secret);
  });
  expect(process.env.CI === undefined || programs.every(([, isHere]) => isHere)).toBe(true);
  const running = mirrors.filter((_, i) => programs[i]?.[1]);

  const add = (i: number) =>
    service.stores.pets.create({ name: `Pet ${i}`, categoryId: BigInt(i) }, { now: service.now });
  await Promise.all(Array.from({ length: 200 }, (_, i) => add(i)));
  let next = 0;
  const change = async () => {
    for (const end = next + 8; next < end; next++) {
      await client.post("/v1/pets", { name: `New ${next}`, categoryId: next });
      await client.patch(`/v1/pets/${1 + next}`, { name: `Größe "${next}"`, status: "pending" });
      await client.request(`/v1/pets/${201 - next}`, { method: "DELETE" });
      const { body: category } = await client.post("/v1/categories", { name: `Category ${next}` });
      if (next % 2 === 0) await client.request(`/v1/categories/${category.id}`, { method: "DELETE" });
    }
  };
  const start = () => {
    for (const mirror of running) mirror.start();
  };
  const kill = () => Promise.all(running.map((mirror) => mirror.kill()));
  const stop = async () => {
    expect(running.filter(({ hasEnded }) => hasEnded).map(({ language }) => language)).toEqual([]);
    await kill();
  };
  const areEqual = async () => {
    await eventually(async () => {
      const expected = await contents(client);
      return running.every(({ copy }) => Bun.deepEquals(copy, expected));
    });
  };

  try {
    start();
    // While they copy, and while they follow.
    await change();
    await eventually(() => running.every(({ copy }) => copy !== undefined));
    await change();
    await stop();
    await change();
    await service.advance({ seconds: RESET });
    start();
    await areEqual();
    await stop();

    // When they go on, their keys have no requests left for 2 s.
    await change();
    await service.advance({ seconds: RESET });
    const spent = keys.map(({ secret }) => service.withSecret(secret));
    for (const other of spent) expect((await other.get("/v1/pets?limit=1")).status).toBe(200);
    await service.advance({ seconds: RESET - 2 });
    await Promise.all(
      spent.map((other) => Promise.all(Array.from({ length: LIMIT }, () => other.get("/v1/pets?limit=1")))),
    );
    start();
    await eventually(() => running.every(({ printed }) => printed.includes("waiting")));
    await service.advance({ seconds: RESET });
    await areEqual();
    await stop();

    await change();
    while ((await service.stores.events.prune({ since: Infinity, most: 1 }, 1_000)) > 0);
    start();
    await areEqual();
    await eventually(() => running.every(({ printed }) => printed.includes("copied")));
    await stop();

    // What a program may not read is no reason to ask again.
    const { secret: narrow } = await service.createKey({ scopes: ["pets:read"] });
    for (const mirror of running) mirror.start({ PETSTORE_API_KEY: narrow });
    await eventually(() => running.every(({ hasEnded }) => hasEnded));
    states(
      "docs/mirror.md",
      "Any other status | Stop, and report it: the key lacks the scope `events:read` or `pets:read`, or is revoked.",
    );
  } finally {
    await kill();
    await Promise.all(doors.map((door) => door.stop(true)));
  }
});

test("no program gives up on a request before the service ends its wait", () => {
  const secondsOf: Record<string, RegExp> = {
    "mirror.sh": /--max-time (\d+)/,
    "mirror.py": /timeout=(\d+)/,
    "mirror.go": /Timeout: time\.(Minute)\b/,
  };
  for (const [name, timeout] of Object.entries(secondsOf)) {
    const text = readFileSync(join(SAMPLES, name), "utf8");
    const [, patience = ""] = timeout.exec(text) ?? [];
    const [, wait = ""] = /wait=(\d+)/.exec(text) ?? [];
    states("docs/mirror.md", `\`Prefer: wait=${wait}\``);
    expect([name, Number(patience.replace("Minute", "60")) - Number(wait) >= 10]).toEqual([name, true]);
  }
});
