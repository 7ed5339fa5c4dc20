/** Loaded before all tests: bunfig.toml names it. */
import { afterAll, setDefaultTimeout } from "bun:test";
import { removeSharedPostgres } from "./shared-postgres.ts";
import { removeTemporaryDirectories } from "./temporary.ts";

// One bound for all tests, for busy machines: no test takes as long, and no wait of `eventually`. It holds for the first file: the
// option `--timeout` sets it for several.
setDefaultTimeout(300_000);

afterAll(async () => {
  await removeSharedPostgres();
  removeTemporaryDirectories();
});
