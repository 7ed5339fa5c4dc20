/** Loaded before all tests: bunfig.toml names it. */
import { afterAll, setDefaultTimeout } from "bun:test";
import { removeSharedPostgres } from "./shared-postgres.ts";
import { removeTemporaryDirectories } from "./temporary.ts";

// For a file that is run by hand: elsewhere the option `--timeout` says so. No test takes as long, and no wait of `eventually`: the time-out is for busy machines.
setDefaultTimeout(90_000);

afterAll(async () => {
  await removeSharedPostgres();
  removeTemporaryDirectories();
});
