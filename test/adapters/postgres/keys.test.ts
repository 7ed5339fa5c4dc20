import { PostgresKeys } from "../../../src/adapters/postgres/keys.ts";
import { keyStoreConformance } from "../../conformance/key-store.ts";
import { openOnPostgres } from "./opened.ts";

keyStoreConformance("PostgreSQL", () => openOnPostgres((database) => new PostgresKeys(database)));
