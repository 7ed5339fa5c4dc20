import { PostgresPets } from "../../src/postgres/pets.ts";
import { petStoreConformance } from "../conformance/pet-store.ts";
import { openOnServer } from "./opened.ts";

petStoreConformance("PostgreSQL", () => openOnServer((database) => new PostgresPets(database)));
