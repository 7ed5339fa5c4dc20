import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { petStoreConformance } from "../../conformance/pet-store.ts";
import { openOnPostgres } from "./opened.ts";

petStoreConformance("PostgreSQL", () => openOnPostgres((database) => new PostgresPets(database)));
