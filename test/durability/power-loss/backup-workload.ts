/** Copies the database file that is its first argument to the second one, which it replaces. */
import { backupDatabase } from "../../../src/adapters/sqlite/backup.ts";

const [, , path = "", target = ""] = process.argv;
backupDatabase({ path, deployment: "production" }, target, true);
