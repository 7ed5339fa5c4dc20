import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { examplePet, petJson } from "../../../domain/pets/json.ts";
import { NewPet, Pet } from "../../../domain/pets/pet.ts";
import { createdResponse, IdempotentRequest, idempotencyKeyOf, ofIdempotentCreation } from "../idempotency-key.ts";
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
  request: { headers: IdempotentRequest, body: NewPet },
  answers: {
    201: { description: "The pet was added.", schema: Pet, example: examplePet, headers: ofIdempotentCreation },
  },
  refusals: ["idempotency_in_progress", "idempotency_key_reused"],
  handle:
    ({ pets, clock }) =>
    async ({ body, headers, context }) => {
      const now = clock();
      const key = idempotencyKeyOf(headers, context.key.id, now);
      const { created, isReplay } =
        key === undefined
          ? { created: await pets.create(body), isReplay: false }
          : await pets.createIdempotently(body, key);
      const { id, version } = created;
      return createdResponse(context, petJson(created), {
        location: locationOf(id, context.simulation?.now ?? now),
        tag: tagOfVersion(version),
        isReplay,
      });
    },
});
