import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { petChangesConformance } from "../../conformance/pet-changes.ts";
import { petStoreConformance } from "../../conformance/pet-store.ts";
import { openOnPostgres } from "./opened.ts";

const open = () => openOnPostgres((database) => new PostgresPets(database));
petStoreConformance("PostgreSQL", open);
petChangesConformance("PostgreSQL", open);
