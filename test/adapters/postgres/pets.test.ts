import { PostgresPets } from "../../../src/adapters/postgres/pets.ts";
import { petStoreConformance } from "../../conformance/pet-store.ts";
import { usePostgres } from "./opened.ts";

const open = usePostgres();

petStoreConformance("PostgreSQL", () => open((database) => new PostgresPets(database)));
