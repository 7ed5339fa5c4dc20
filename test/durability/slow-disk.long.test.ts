import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { besideLoad, eventually } from "../support/eventually.ts";
import { type Answer, KeepAliveConnection, requestText } from "../support/keep-alive.ts";
import { states } from "../support/markdown.ts";
import { obstacle } from "./power-loss/trace.ts";
import { Program } from "./program.ts";
import { createKey, StoreDirectory } from "./store-directory.ts";

/** What a sync takes on the slow disk, in ms: longer than anything else here, on a busy machine too. */
const SYNC = 100;
/** How many times the writer writes, and how long writers arrive at a disk that hangs, in ms. */
const WRITES = 15;
const HANGING = 8_000;

const reason = obstacle();
if (reason !== undefined) console.log(`skipped, a slow disk: ${reason}`);

describe.skipIf(reason !== undefined)("a service on a disk", () => {
  const store = new StoreDirectory();
  let secret: string;
  let program: Program;
  let reader: KeepAliveConnection;
  let writer: KeepAliveConnection;
  let fault: ChildProcess | undefined;

  /** Gives each sync of a file by the service a delay or an error (strace, "Tampering"), until `endFault`. */
  async function inject(effect: string): Promise<void> {
    const calls = "fsync,fdatasync";
    const options = ["-f", "-o", "/dev/null", "-e", `trace=${calls}`, "-e", `inject=${calls}:${effect}`];
    fault = spawn("strace", [...options, "-p", String(program.process.pid)], { stdio: ["ignore", "ignore", "pipe"] });
    if (fault.stderr === null) throw new Error("standard error is not a pipe");
    for await (const line of createInterface({ input: fault.stderr })) if (line.includes("attached")) return;
  }

  async function endFault(): Promise<void> {
    if (fault === undefined) return;
    // It ends with the service, too.
    const ended = fault.exitCode === null && fault.signalCode === null ? once(fault, "exit") : undefined;
    fault.kill("SIGINT");
    await ended;
    fault = undefined;
  }

  const create = (): Promise<Answer> =>
    writer.request(requestText("POST", "/v1/pets", secret, '{"name":"Rex","categoryId":1}'));
  const get = (path: string): Promise<Answer> => reader.request(requestText("GET", path, secret));
  /** The highest id that a list shows. */
  const newest = async (): Promise<number> => {
    const { status, body } = await get("/v1/pets?order=desc&limit=1");
    expect(status).toBe(200);
    return JSON.parse(body)[0]?.id ?? 0;
  };

  async function start(): Promise<void> {
    program = await Program.start({ directory: store.path });
    [reader, writer] = await Promise.all([
      KeepAliveConnection.open(program.url),
      KeepAliveConnection.open(program.url),
    ]);
  }

  beforeAll(async () => {
    secret = await createKey(store.path);
    await start();
  });
  afterEach(endFault);
  afterAll(async () => {
    await program.kill();
    store[Symbol.dispose]();
  });

  test("that is slow answers reads while a write waits, and shows it once it is on the disk", async () => {
    states(
      "docs/reliability.md",
      "A disk whose syncs take 100 ms",
      "A disk whose syncs take 100 ms | Reads do not wait for the writes, and show nothing that is not on the disk.",
    );
    states(
      "docs/upgrading.md",
      "Each commit is synced to the disk before it is acknowledged, and before anyone sees it",
      "reads are answered meanwhile",
    );
    await create();
    await inject(`delay_enter=${SYNC}ms`);
    const times: number[] = [];
    let [acknowledged, writes, isOver] = [await newest(), 0, false];
    const load = (async () => {
      while (!isOver) {
        const began = performance.now();
        const { status, body } = await create();
        expect(status).toBe(201);
        expect(performance.now() - began).toBeGreaterThan(SYNC);
        acknowledged = JSON.parse(body).id;
        writes += 1;
      }
    })();
    while (writes < WRITES) {
      const [known, began] = [acknowledged, performance.now()];
      const shown = await newest();
      times.push(performance.now() - began);
      expect(shown).toBeGreaterThanOrEqual(known);
      expect((await get("/readyz")).status).toBe(200);
      // The answer to the write may arrive behind that to the read, but it was sent before.
      const seenAt = performance.now();
      while (acknowledged < shown && performance.now() - seenAt < SYNC / 2) await pause(1);
      expect(acknowledged).toBeGreaterThanOrEqual(shown);
    }
    isOver = true;
    await load;
    expect(times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]).toBeLessThan(SYNC / 4);
  });

  test("that fails to take a write shows it to nobody, and takes no other until the service is started again", async () => {
    states(
      "docs/reliability.md",
      "The disk failed while it synced the commit, or when the high-water mark was written after it: the pet may be there, at once or after a crash.",
    );
    states(
      "docs/reliability.md",
      "A disk that fails to sync | The write gets 503 and is shown to nobody; later ones get 503, and `/readyz` is 503, until the service is started again. Reads go on.",
    );
    states(
      "docs/upgrading.md",
      "When a disk fails to sync, creations get 503, and `/readyz` is 503, until you have checked the disk and started the service again; reads go on.",
    );
    const before = await newest();
    await inject(`error=EIO:delay_enter=${SYNC}ms`);
    // The first commit finds out that the disk is slow. What fails may be there after the next start, and nothing that came later.
    const FAILED = 3;
    for (let writes = 0; writes < FAILED; writes++) expect((await create()).status).toBe(503);
    expect(await newest()).toBe(before);
    // What a command commits behind it does not bring to the disk what the system has dropped.
    await createKey(store.path);
    expect(await newest()).toBe(before);
    expect((await get("/readyz")).status).toBe(503);
    for (let writes = 0; writes < 5; writes++) expect((await create()).status).toBe(503);
    // Of many failures the log has one now and then.
    await eventually(async () => {
      expect((await create()).status).toBe(503);
      return program.printed.stdout.includes("The disk has failed to take what was written");
    });
    await program.kill();
    await start();
    expect((await create()).status).toBe(201);
    expect((await get("/readyz")).status).toBe(200);
    const newer = JSON.parse((await get("/v1/pets?order=desc&limit=100")).body).filter(
      ({ id }: { id: number }) => id > before,
    );
    expect(newer.length).toBeWithin(1, FAILED + 2);
  });

  test("that hangs keeps reads going, and refuses the writes that have to wait for it: nothing of them is done", async () => {
    states("docs/reliability.md", "The write that is being synced waits.");
    states(
      "docs/reliability.md",
      "A disk that hangs while it syncs | Reads go on. Writes that have to wait for longer than 5 s get 503, and nothing of them is done; `/readyz` is 503.",
    );
    // The first commit finds out that the disk is slow.
    await inject("delay_enter=7s");
    await create();
    const before = await newest();
    const text = requestText("POST", "/v1/pets", secret, '{"name":"Rex","categoryId":1}');
    const writes: Promise<Answer>[] = [];
    let slowest = 0;
    let isUnready = false;
    for (const end = performance.now() + HANGING; performance.now() < end; await pause(100)) {
      const connection = await KeepAliveConnection.open(program.url);
      writes.push(connection.request(text).finally(() => connection.close()));
      const began = performance.now();
      await newest();
      slowest = Math.max(slowest, performance.now() - began);
      isUnready ||= (await get("/readyz")).status === 503;
    }
    // The syncs of what the service itself has to write would come first, each as slow.
    await endFault();
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    const added = statuses.filter((status) => status === 201);
    expect(added.length + statuses.filter((status) => status === 503).length).toBe(statuses.length);
    expect(added.length).toBeLessThan(statuses.length);
    expect(slowest).toBeLessThan(besideLoad(2_000));
    expect(isUnready).toBe(true);
    expect((await newest()) - before).toBe(added.length);
  });
});
