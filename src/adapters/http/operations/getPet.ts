import { after } from "../../../domain/awaitable.ts";
import { tagOfVersion } from "../../../domain/entity-tag.ts";
import { plainInt64 } from "../../../domain/int64.ts";
import { examplePet, petJson } from "../../../domain/pets/json.ts";
import { Pet } from "../../../domain/pets/pet.ts";
import { etagOf } from "../conditional.ts";
import { deprecation } from "../description.ts";
import { notFound, PetPath } from "../path-ids.ts";
import { operation } from "./operation.ts";

/** Source: docs/deprecation.md. */
export const getPetDeprecation = deprecation({
  deprecatedAt: Date.UTC(2026, 10, 20),
  removedAt: Date.UTC(2030, 11, 5),
  replacement: "GET /v1/pets?ids={petId}",
  successor: ({ petId = "" }) => ((plainInt64(petId) ?? 0n) > 0n ? `/pets?ids=${petId}` : "/pets"),
});

/** GET /pets/{petId}. */
export const getPet = operation({
  id: "getPet",
  method: "get",
  path: "/pets/{petId}",
  scope: "pets:read",
  tag: "pets",
  summary: "Get one pet",
  description: "Use `GET /pets?ids={petId}` instead: this operation is removed on 5 December 2030.",
  deprecated: getPetDeprecation,
  request: { params: PetPath },
  answers: { 200: { description: "The pet.", schema: Pet, example: examplePet } },
  refusals: ["pet_not_found"],
  read:
    ({ pets }) =>
    ({ params }) =>
      after(pets.get(params.petId), (found) => {
        const pet = found ?? notFound("pet_not_found");
        return { body: JSON.stringify(petJson(pet)), etag: etagOf(tagOfVersion(pet.version)) };
      }),
});

/** Returns the path of a pet at `now` (Unix ms). */
export function locationOf(id: number, now: number): string {
  return now < getPetDeprecation.removedAt ? `/v1/pets/${id}` : `/v1/pets?ids=${id}`;
}
