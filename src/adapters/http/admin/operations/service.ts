import { z } from "zod";
import { requireStaging, resetShop, sampleShop } from "../../../../domain/shop.ts";
import { authorOf } from "../../operation.ts";
import { operations } from "../../operations/index.ts";
import { json } from "../../request.ts";
import { exampleImport, optionalFile, RawQuery, uploadTypes } from "../files.ts";
import { ServiceState, Settings } from "../state.ts";
import { operation } from "./operation.ts";

const count = (description: string, example: number) =>
  z.int().meta({ type: "integer", format: "int64", minimum: 0, description, examples: [example] });

export const ShopContents = z
  .strictObject({
    pets: count("How many pets there are.", 200),
    categories: count("How many categories there are.", 9),
    orders: count("How many orders there are.", 85),
    firstPetId: z
      .int()
      .nullable()
      .meta({
        type: ["integer", "null"],
        format: "int64",
        minimum: 1,
        description: "The lowest id of a pet; the others follow it. `null` without pets.",
        examples: [201],
      }),
  })
  .meta({
    id: "ShopContents",
    description: "What staging has after a reset.",
    examples: [{ pets: 200, categories: 9, orders: 85, firstPetId: 201 }],
  });

export const getState = operation({
  id: "getState",
  route: "GET /state",
  role: "viewer",
  summary: "Get the state of the service",
  description: "Returns the version, the deployment, and whether the database and Redis respond.",
  answers: { 200: { description: "The state of the service.", schema: ServiceState } },
  handle: async ({ state }, { context }) =>
    json(context, 200, { ...(await state()), operations: operations.map(described) }),
});

export const getSettings = operation({
  id: "getSettings",
  route: "GET /settings",
  role: "viewer",
  tag: "state",
  summary: "Get the settings of the service",
  description:
    "Returns each setting as it holds, without secrets, and where it is from; the size of the database, and the room on its disk.",
  answers: { 200: { description: "The settings.", schema: Settings } },
  handle: async ({ settings }, { context }) => json(context, 200, await settings()),
});

function described({ id, method, path, deprecated }: (typeof operations)[number]) {
  return { id, method: method.toUpperCase(), path, isDeprecated: deprecated !== undefined };
}

export const resetStaging = operation({
  id: "resetStaging",
  route: "POST /staging/reset",
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
  handle: async ({ shop, readSeedFile, deployment, clock }, { query, context }) => {
    requireStaging(deployment);
    const file = await optionalFile(context.request, query.raw);
    const contents = file === undefined ? sampleShop({ now: clock() }) : await readSeedFile(file);
    const { firstPetId = null, ...counts } = await resetShop(shop, deployment, contents, {
      by: authorOf(context),
      now: clock(),
    });
    return json(context, 200, { ...counts, firstPetId });
  },
});
