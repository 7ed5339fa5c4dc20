import { sqlConformance } from "../../conformance/sql.ts";
import { openOnPostgres } from "./opened.ts";

sqlConformance("PostgreSQL", () => openOnPostgres((database) => database));
