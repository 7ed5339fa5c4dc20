import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { Workplace } from "../commands/petstore.ts";
import { eventually } from "../support/eventually.ts";
import { sqliteIn } from "../support/store.ts";
import { Program, SERVE } from "./program.ts";
import { createKey, StoreDirectory } from "./store-directory.ts";

/** Time for the commands that a test starts, on a busy machine, in ms. */
const TIMEOUT = 60_000;

let directory: StoreDirectory;
let workplace: Workplace;
let program: Program;
beforeEach(async () => {
  directory = new StoreDirectory();
  workplace = new Workplace({ store: sqliteIn(directory.path) });
  await createKey(directory.path);
  program = await Program.start({ directory: directory.path });
}, TIMEOUT);
afterEach(async () => {
  await program.kill();
  directory[Symbol.dispose]();
});

const path = (ending = "") => workplace.path(`petstore.db${ending}`);

describe("a start without the file", () => {
  const refusal = (trace: string) =>
    `petstore: The database ${path()} is missing, and ${path(trace)} shows that there was one. Put it back, restore a backup with \`npx petstore database restore\`, or create an empty one with --create.\n`;
  const ways: [signal: NodeJS.Signals, trace: string][] = [
    ["SIGKILL", "-wal"],
    ["SIGTERM", ".lock"],
  ];

  test.each(ways)(
    "is refused after %s, because of petstore.db%s, until --create asks for an empty one",
    async (signal, trace) => {
      program.process.kill(signal);
      await program.end();
      rmSync(path());
      const { code, stderr } = await Program.run({ directory: directory.path });
      expect({ code, stderr }).toEqual({ code: 1, stderr: refusal(trace) });
      const command = ["keys", "create", "--name", "My app", "--plan", "free"];
      expect(await workplace.run(command)).toMatchObject({ code: 1, stderr: refusal(trace) });
      expect(await workplace.run(["database", "migrate"])).toMatchObject({ code: 1, stderr: refusal(trace) });

      program = await Program.start({ directory: directory.path, command: [...SERVE, "--create"] });
      await eventually(() => program.printed.stderr.includes("pets_live_"));
    },
    TIMEOUT,
  );

  test(
    "commands that create a database have --create too",
    async () => {
      await program.kill();
      for (const command of [
        ["database", "migrate"],
        ["keys", "create", "--name", "My app", "--plan", "free"],
        ["operators", "create", "--name", "Ada", "--role", "admin"],
        ["pets", "import", "-", "--format", "ndjson"],
      ]) {
        rmSync(path(), { force: true });
        expect(await workplace.run([...command, "--create"])).toMatchObject({ code: 0 });
      }
    },
    TIMEOUT,
  );
});
