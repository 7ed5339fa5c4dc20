import { sqlConformance } from "../../conformance/sql.ts";
import { usePostgres } from "./opened.ts";

const open = usePostgres();

sqlConformance("PostgreSQL", () => open((database) => database));
