import { z } from "zod";
import { type Scope, scopes } from "../../../../domain/keys/key.ts";
import { time } from "../../parameters.ts";
import { JSON_OBJECT, name } from "../fields.ts";
import { currentKey, exampleKey, IssuedKey, keyAdministration, keyScopes, limits, note, owner, plan } from "../key.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

const NewKey = z
  .object(
    {
      name,
      owner: owner.optional(),
      note: note.optional(),
      plan,
      limits: limits.optional().meta({ description: "Required by the enterprise plan, refused by the other plans." }),
      scopes: keyScopes.default((): Scope[] => [...scopes]),
      expiresAt: time.optional(),
    },
    JSON_OBJECT,
  )
  .meta({
    id: "NewKey",
    description: "A key to create. Without `expiresAt` it never expires.",
    examples: [
      {
        name: "My app",
        owner: exampleKey.owner,
        plan: "pro",
        scopes: ["pets:read"],
        expiresAt: "2030-12-02T10:00:00Z",
      },
    ],
  });

/** POST /keys */
export const createKey = operation({
  id: "createKey",
  method: "post",
  path: "/keys",
  role: "admin",
  tag: "keys",
  summary: "Create a key",
  description: "Creates a key, which works at once. Only this response shows its secret.",
  request: { body: NewKey },
  answers: { 201: { description: "The key and its secret.", schema: IssuedKey } },
  handle:
    (services) =>
    async ({ body, context }) => {
      const { key, secret } = await keyAdministration(services, context).create(body, services.clock());
      return json(context, 201, { key: await currentKey(services, key.id), secret });
    },
});
