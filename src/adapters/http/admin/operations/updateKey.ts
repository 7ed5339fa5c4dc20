import { z } from "zod";
import { time } from "../../parameters.ts";
import { JSON_OBJECT, name } from "../fields.ts";
import { currentKey, Key, KeyPath, keyAdministration, keyScopes, limits, note, owner, plan } from "../key.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

const KeyChange = z
  .object(
    {
      name: name.optional(),
      owner: owner.nullable().optional(),
      note: note.nullable().optional(),
      plan: plan.optional(),
      limits: limits.optional(),
      scopes: keyScopes.optional(),
      expiresAt: time
        .nullable()
        .optional()
        .meta({ type: ["string", "null"] }),
      disabled: z.boolean({ error: "must be true or false" }).optional().meta({
        description: "A disabled key is refused until it is enabled again.",
      }),
    },
    JSON_OBJECT,
  )
  .meta({
    id: "KeyChange",
    description: "The fields of a key to change. Other fields stay; null removes the owner, the note or the expiry.",
    examples: [{ plan: "business", expiresAt: null }],
  });

/** PATCH /keys/{id} */
export const updateKey = operation({
  id: "updateKey",
  method: "patch",
  path: "/keys/{id}",
  role: "admin",
  tag: "keys",
  summary: "Change a key",
  description:
    "Changes the name, owner, note, plan, limits, scopes or expiry of a key, disables or enables it, at once. What the key has used of its limits stays.",
  request: { params: KeyPath, body: KeyChange },
  answers: { 200: { description: "The changed key.", schema: Key } },
  refusals: ["key_not_found", "invalid_state"],
  handle:
    (services) =>
    async ({ params, body, context }) => {
      await keyAdministration(services, context).update(params.id, body, services.clock());
      return json(context, 200, await currentKey(services, params.id));
    },
});
