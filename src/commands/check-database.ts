import type { DatabaseCheck } from "../adapters/sqlite/check.ts";
import { runBeside } from "./beside.ts";

/** Runs `petstore database check` in a process of its own. @throws when the check does not end by itself */
export async function checkDatabaseBeside(signal: AbortSignal): Promise<DatabaseCheck> {
  const { problems, lost } = (await runBeside(["database", "check", "--json"], signal)) as Omit<
    DatabaseCheck,
    "lost"
  > & {
    lost: DatabaseCheck["lost"] | null;
  };
  return { problems, lost: lost ?? undefined };
}
