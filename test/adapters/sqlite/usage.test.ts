import { sqliteUsage } from "../../../src/adapters/sqlite/usage.ts";
import { usageStoreConformance } from "../../conformance/usage-store.ts";
import { openings } from "./opened.ts";

for (const [name, open] of openings) usageStoreConformance(name, () => open((database) => sqliteUsage(database)));
