import { sqlConformance } from "../../conformance/sql.ts";
import { openings } from "./opened.ts";

for (const [name, open] of openings) sqlConformance(name, () => open((database) => database));
