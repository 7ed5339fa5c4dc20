import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { keyStoreConformance } from "../../conformance/key-store.ts";
import { openOnDisk } from "./opened.ts";

keyStoreConformance("SQLite", () => openOnDisk((database) => new SqliteKeys(database)));
keyStoreConformance("SQLite in slices of two keys", () => openOnDisk((database) => new SqliteKeys(database, 2)));
