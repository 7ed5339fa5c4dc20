// Brings the database at a path up to the next schema, and prints the versions before and after. With a second argument, its
// process is killed in the middle of the migration.
import { DatabaseSync } from "node:sqlite";
import { migrate } from "../../../src/adapters/sqlite/migrate.ts";
import { migrations } from "../../../src/adapters/sqlite/migrations.ts";
import { NEXT_ON_SQLITE } from "../../support/next-schema.ts";

const [, , path = "", end] = process.argv;
using database = new DatabaseSync(path);
database.exec("PRAGMA busy_timeout = 10000");
database.function("kill", () => Number(process.kill(process.pid, "SIGKILL")));
const next = end === undefined ? NEXT_ON_SQLITE : `${NEXT_ON_SQLITE} SELECT kill();`;
console.log(JSON.stringify(migrate(database, { path, deployment: "production", migrations: [...migrations, next] })));
