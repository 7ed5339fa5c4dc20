import { SqlitePets } from "../../src/sqlite/pets.ts";
import { petStoreConformance } from "../conformance/pet-store.ts";
import { openOnDisk } from "./opened.ts";

petStoreConformance("SQLite", () => openOnDisk((database) => new SqlitePets(database)));
