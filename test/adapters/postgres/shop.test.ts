import { shopConformance } from "../../conformance/shop.ts";
import { openOnPostgres } from "./opened.ts";
import { shopOn } from "./shop.ts";

shopConformance("PostgreSQL", () => openOnPostgres(shopOn));
