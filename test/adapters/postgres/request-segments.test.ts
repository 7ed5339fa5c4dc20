import { postgresRequestSegments } from "../../../src/adapters/postgres/request-segments.ts";
import { requestSegmentsConformance } from "../../conformance/request-segments.ts";
import { openOnPostgres } from "./opened.ts";

requestSegmentsConformance("PostgreSQL", () => openOnPostgres((database) => postgresRequestSegments(database)));
