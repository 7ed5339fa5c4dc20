import { sqlConformance } from "../../conformance/sql.ts";
import { openOnDisk } from "./opened.ts";

sqlConformance("SQLite", () => openOnDisk((database) => database));
