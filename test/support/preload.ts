/** Loaded before all tests: bunfig.toml names it. */
import { afterAll, setDefaultTimeout } from "bun:test";
import { removeSharedPostgres } from "./shared-postgres.ts";
import { removeTemporaryDirectories } from "./temporary.ts";

// Nothing here takes that long; it is for machines that are busy with other things as well.
setDefaultTimeout(20_000);

afterAll(async () => {
  await removeSharedPostgres();
  removeTemporaryDirectories();
});
