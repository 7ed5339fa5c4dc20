import { ShopAdministration } from "../../../../domain/shop/administration.ts";
import { sampleShop } from "../../../../domain/shop/sample-shop.ts";
import { exampleImport } from "../example-files.ts";
import { RawQuery } from "../file.ts";
import { authorOf, json } from "../request-context.ts";
import { ShopContents } from "../shop.ts";
import { optionalFile, uploadTypes } from "../uploaded-file.ts";
import { operation } from "./operation.ts";

/** POST /staging/reset */
export const resetStaging = operation({
  id: "resetStaging",
  method: "post",
  path: "/staging/reset",
  role: "admin",
  tag: "state",
  summary: "Reset staging",
  description: `Removes all categories, pets, orders and idempotency keys of staging, and adds those of a sample shop, or the
pets of a file: NDJSON or CSV, as for an import, of at most 10,000 pets. All of it is one change: clients see what was there
before, or what is there afterwards. An invalid line changes nothing. Keys, usage and the audit log stay; no id is assigned
again. Production refuses with 409.`,
  request: { query: RawQuery, types: uploadTypes, isBodyOptional: true, examples: exampleImport },
  answers: { 200: { description: "What staging has now.", schema: ShopContents } },
  refusals: ["invalid_state", "validation_failed"],
  handle:
    ({ shop, readSeedFile, deployment, clock }) =>
    async ({ query, context }) => {
      const administration = new ShopAdministration(shop, deployment, authorOf(context));
      administration.requireStaging();
      const file = await optionalFile(context.request, query.raw);
      const contents = file === undefined ? sampleShop({ now: clock() }) : await readSeedFile(file);
      const { firstPetId = null, ...counts } = await administration.reset(contents, clock());
      return json(context, 200, { ...counts, firstPetId });
    },
});
