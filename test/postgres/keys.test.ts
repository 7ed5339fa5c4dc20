import { PostgresKeys } from "../../src/postgres/keys.ts";
import { keyStoreConformance } from "../conformance/key-store.ts";
import { openOnServer } from "./opened.ts";

keyStoreConformance("PostgreSQL", () => openOnServer((database) => new PostgresKeys(database)));
