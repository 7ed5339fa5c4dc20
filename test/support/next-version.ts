// The `petstore` command of a later version, whose schema has one more migration on each engine.
import { migrations as ofPostgres } from "../../src/adapters/postgres/migrations.ts";
import { migrations as ofSqlite } from "../../src/adapters/sqlite/migrations.ts";
import { NEXT_ON_POSTGRES, NEXT_ON_SQLITE, WIDER_ON_POSTGRES, WIDER_ON_SQLITE } from "./next-schema.ts";

ofSqlite.push(NEXT_ON_SQLITE + WIDER_ON_SQLITE);
ofPostgres.push([...NEXT_ON_POSTGRES, ...WIDER_ON_POSTGRES]);
await import("../../src/main.ts");
