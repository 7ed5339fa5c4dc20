import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { type Answer, KeepAliveConnection, requestText } from "../support/keep-alive.ts";
import { obstacle } from "./power-loss/trace.ts";
import { Program } from "./program.ts";
import { createKey, StoreDirectory } from "./store-directory.ts";

/** What a sync takes on the slow disk, in ms: longer than anything else here, on a busy machine too. */
const SYNC = 100;
/** How long the writer writes, in ms. */
const LOAD = 2_000;

const reason = obstacle();
if (reason !== undefined) console.log(`skipped, a slow disk: ${reason}`);

describe.skipIf(reason !== undefined)("a service on a disk", () => {
  const store = new StoreDirectory();
  let secret: string;
  let program: Program;
  let reader: KeepAliveConnection;
  let writer: KeepAliveConnection;
  let fault: ChildProcess | undefined;

  /** Gives each sync of a file by the service a delay or an error (strace, "Tampering"), until the test ends. */
  async function inject(effect: string): Promise<void> {
    const calls = "fsync,fdatasync";
    const options = ["-f", "-o", "/dev/null", "-e", `trace=${calls}`, "-e", `inject=${calls}:${effect}`];
    fault = spawn("strace", [...options, "-p", String(program.process.pid)], { stdio: ["ignore", "ignore", "pipe"] });
    if (fault.stderr === null) throw new Error("standard error is not a pipe");
    for await (const line of createInterface({ input: fault.stderr })) if (line.includes("attached")) return;
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
  afterEach(async () => {
    if (fault === undefined) return;
    // It ends with the service, too.
    const ended = fault.exitCode === null && fault.signalCode === null ? once(fault, "exit") : undefined;
    fault.kill("SIGINT");
    await ended;
    fault = undefined;
  });
  afterAll(async () => {
    await program.kill();
    store[Symbol.dispose]();
  });

  test("that is slow answers reads while a write waits, and shows it once it is on the disk", async () => {
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
    for (const end = performance.now() + LOAD; performance.now() < end; ) {
      const [known, began] = [acknowledged, performance.now()];
      const shown = await newest();
      times.push(performance.now() - began);
      expect(shown).toBeGreaterThanOrEqual(known);
      // The answer to the write may arrive behind that to the read, but it was sent before.
      const seenAt = performance.now();
      while (acknowledged < shown && performance.now() - seenAt < SYNC / 2) await pause(1);
      expect(acknowledged).toBeGreaterThanOrEqual(shown);
    }
    isOver = true;
    await load;
    expect(writes).toBeGreaterThan(5);
    expect(times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]).toBeLessThan(SYNC / 4);
  });

  test("that hangs keeps reads going, and refuses writes that it has not begun", async () => {
    await inject("delay_enter=4s");
    const others = await Promise.all(Array.from({ length: 3 }, () => KeepAliveConnection.open(program.url)));
    const text = requestText("POST", "/v1/pets", secret, '{"name":"Rex","categoryId":1}');
    // The first commit finds out that the disk is slow.
    expect((await create()).status).toBe(201);
    const [begun, ...later] = others;
    const hanging = begun?.request(text);
    await pause(500);
    const refused = later.map((connection) => connection.request(text));
    const before = await newest();
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([503, 503]);
    expect((await get("/readyz")).status).toBe(503);
    expect(await newest()).toBe(before);
    expect((await hanging)?.status).toBe(201);
    expect(await newest()).toBe(before + 1);
    for (const connection of others) connection.close();
  });

  test("that fails to take a write shows it to nobody, and takes no other until the service is started again", async () => {
    const before = await newest();
    await inject(`error=EIO:delay_enter=${SYNC}ms`);
    // The first commit finds out that the disk is slow.
    for (let writes = 0; writes < 3; writes++) expect((await create()).status).toBe(503);
    expect(await newest()).toBe(before);
    expect((await get("/readyz")).status).toBe(503);
    expect(program.printed.stdout).toContain("The disk has failed to take what was written");
    await program.kill();
    await start();
    expect((await create()).status).toBe(201);
    expect((await get("/readyz")).status).toBe(200);
    expect(await newest()).toBeGreaterThan(before);
  });
});
