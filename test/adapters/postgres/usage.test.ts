import { PostgresUsage } from "../../../src/adapters/postgres/usage.ts";
import { usageStoreConformance } from "../../conformance/usage-store.ts";
import { openOnPostgres } from "./opened.ts";

usageStoreConformance("PostgreSQL", () => openOnPostgres((database) => new PostgresUsage(database)));
