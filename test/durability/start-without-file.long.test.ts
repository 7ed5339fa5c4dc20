import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { SHOWN_PROGRAM } from "../commands/petstore.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { Program, SERVE } from "./program.ts";
import { useProgram } from "./use-program.ts";

/** Time for the commands that a test starts, on a busy machine, in ms. */
const TIMEOUT = 60_000;

const service = useProgram({ timeout: TIMEOUT });
const { workplace } = service;
const path = (ending?: string) => service.path(ending);

describe("a start without the file", () => {
  const refusal = (trace: string) =>
    `petstore: The database ${path()} is missing, and ${path(trace)} shows that there was one. Put it back, restore a backup with ${workplace.shown("database restore")}, or create an empty one with --create.\n`;
  const ways: [signal: NodeJS.Signals, trace: string][] = [
    ["SIGKILL", "-wal"],
    ["SIGTERM", ".lock"],
  ];

  test.each(ways)(
    "is refused after %s, because of petstore.db%s, until --create asks for an empty one",
    async (signal, trace) => {
      states(
        "docs/upgrading.md",
        "`The database … is missing, and … shows that there was one`",
        "`The database … is missing, and … shows that there was one` | The file was deleted or moved, or a volume is not mounted. | Put the file back or restore a backup. `--create` creates an empty database.",
      );
      states(
        "docs/data.md",
        "If the database is missing at startup while one of the other files is there, `serve` and the commands refuse to create an empty one, unless you add `--create`.",
      );
      service.program.process.kill(signal);
      await service.program.end();
      rmSync(path());
      const { code, stderr } = await Program.run({ directory: service.directory });
      // It is started in the directory of its package, where npx finds it.
      const said = stderr.replace("npx --no petstore", SHOWN_PROGRAM);
      expect({ code, stderr: said }).toEqual({ code: 1, stderr: refusal(trace) });
      const command = ["keys", "create", "--name", "My app", "--plan", "free"];
      expect(await workplace.run(command)).toMatchObject({ code: 1, stderr: refusal(trace) });
      expect(await workplace.run(["database", "migrate"])).toMatchObject({ code: 1, stderr: refusal(trace) });

      await service.start([...SERVE, "--create"]);
      await eventually(() => service.program.printed.stderr.includes("pets_live_"));
    },
  );

  test("commands that create a database have --create too", async () => {
    states("docs/data.md", "or add `--create` to `keys create`, `operators create` or `pets import`.");
    await service.program.kill();
    for (const command of [
      ["database", "migrate"],
      ["keys", "create", "--name", "My app", "--plan", "free"],
      ["operators", "create", "--name", "Ada", "--role", "admin"],
      ["pets", "import", "-", "--format", "ndjson"],
    ]) {
      rmSync(path(), { force: true });
      expect(await workplace.run([...command, "--create"])).toMatchObject({ code: 0 });
    }
  });
});
