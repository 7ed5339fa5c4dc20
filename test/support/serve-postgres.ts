/**
 * A PostgreSQL server that test processes share: prints its URL, and is removed when its input ends.
 */
import { removeSharedPostgres, sharedPostgresUrl } from "./shared-postgres.ts";

console.log(await sharedPostgresUrl());
process.stdin.resume().once("end", removeSharedPostgres);
