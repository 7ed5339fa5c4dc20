import { z } from "zod";
import { integer, JSON_OBJECT } from "../fields.ts";
import { currentKey, IssuedKey, KeyPath, keyAdministration } from "../key.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

const DAY = 86_400;
/** The longest grace period of a rotated secret, in seconds: a year. */
const LONGEST_GRACE = 366 * DAY;

const Rotation = z.object({ graceSeconds: integer(0, LONGEST_GRACE).default(DAY) }, JSON_OBJECT).meta({
  id: "Rotation",
  description: "The grace period, in which the key's earlier secrets still work.",
  examples: [{ graceSeconds: 3_600 }],
});

/** POST /keys/{id}/rotate */
export const rotateKey = operation({
  id: "rotateKey",
  method: "post",
  path: "/keys/{id}/rotate",
  role: "admin",
  tag: "keys",
  summary: "Rotate a key's secret",
  description:
    "Gives a key a new secret, which only this response shows. Its earlier secrets work until the grace period ends, after a day by default. Limits and counts stay.",
  request: { params: KeyPath, body: Rotation.default({ graceSeconds: DAY }) },
  answers: { 200: { description: "The key and its new secret.", schema: IssuedKey } },
  refusals: ["key_not_found", "invalid_state"],
  handle:
    (services) =>
    async ({ params, body, context }) => {
      const grace = body.graceSeconds * 1000;
      const { key, secret } = await keyAdministration(services, context).rotate(params.id, grace, services.clock());
      return json(context, 200, { key: await currentKey(services, key.id), secret });
    },
});
