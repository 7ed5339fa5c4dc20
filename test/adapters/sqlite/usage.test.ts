import { SqliteUsage } from "../../../src/adapters/sqlite/usage.ts";
import { usageStoreConformance } from "../../conformance/usage-store.ts";
import { openOnDisk } from "./opened.ts";

usageStoreConformance("SQLite", () => openOnDisk((database) => new SqliteUsage(database)));
