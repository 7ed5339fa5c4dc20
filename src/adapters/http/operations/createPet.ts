import { z } from "zod";
import { examplePet, petJson } from "../../../domain/pets/json.ts";
import { NewPet, Pet } from "../../../domain/pets/pet.ts";
import { etagOfVersion } from "../conditional.ts";
import { ref } from "../document-headers.ts";
import { IdempotencyKey } from "../idempotency-key.ts";
import { json } from "../request-context.ts";
import { locationOf } from "./getPet.ts";
import { operation } from "./operation.ts";

/** POST /pets. Source: docs/interface.md, Add a pet. */
export const createPet = operation({
  id: "createPet",
  method: "post",
  path: "/pets",
  scope: "pets:write",
  tag: "pets",
  summary: "Add a pet",
  description:
    "Adds a pet. The pet is on disk before the service returns 201. With an `Idempotency-Key` you can retry safely: for 24 hours a repeated request adds nothing and gets the first response.",
  request: { headers: z.object({ "Idempotency-Key": IdempotencyKey.optional() }), body: NewPet },
  answers: {
    201: {
      description: "The pet was added.",
      schema: Pet,
      example: examplePet,
      headers: { ETag: ref("ETag"), Location: ref("Location"), "Idempotency-Replayed": ref("IdempotencyReplayed") },
    },
  },
  refusals: ["idempotency_in_progress", "idempotency_key_reused"],
  handle:
    ({ pets, clock }) =>
    async ({ body, headers, context }) => {
      const key = headers["Idempotency-Key"];
      const { created: pet, isReplay } =
        key === undefined
          ? { created: await pets.create(body), isReplay: false }
          : await pets.createIdempotently(body, { keyId: context.key.id, key, now: clock() });
      if (isReplay) context.headers["Idempotency-Replayed"] = "true";
      return json(context, 201, petJson(pet), {
        Location: locationOf(pet.id, clock()),
        ETag: etagOfVersion(pet.version),
      });
    },
});
