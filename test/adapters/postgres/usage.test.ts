import { PostgresUsage } from "../../../src/adapters/postgres/usage.ts";
import { usageStoreConformance } from "../../conformance/usage-store.ts";
import { usePostgres } from "./opened.ts";

const open = usePostgres();

usageStoreConformance("PostgreSQL", () => open((database) => new PostgresUsage(database)));
