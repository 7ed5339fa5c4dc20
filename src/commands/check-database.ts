import type { DatabaseCheck } from "../adapters/sqlite/check.ts";
import { runInChildProcess } from "./child-process.ts";

/** Runs `petstore database check` in a process of its own. @throws when the check does not end by itself */
export async function checkDatabaseInChildProcess(signal: AbortSignal): Promise<DatabaseCheck> {
  const { problems, lost } = (await runInChildProcess(["database", "check", "--json"], signal)) as Omit<
    DatabaseCheck,
    "lost"
  > & {
    lost: DatabaseCheck["lost"] | null;
  };
  return { problems, lost: lost ?? undefined };
}
