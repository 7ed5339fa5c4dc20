import { PostgresKeys } from "../../../src/adapters/postgres/keys.ts";
import { keyStoreConformance } from "../../conformance/key-store.ts";
import { usePostgres } from "./opened.ts";

const open = usePostgres();

keyStoreConformance("PostgreSQL", () => open((database) => new PostgresKeys(database)));
