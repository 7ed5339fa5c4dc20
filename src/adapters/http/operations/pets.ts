import { after } from "../../../domain/awaitable.ts";
import { tagOfVersion } from "../../../domain/changes.ts";
import { plainInt64 } from "../../../domain/int64.ts";
import {
  CreatedPets,
  costOfPets,
  examplePet,
  NewPet,
  NewPets,
  Pet,
  PetPatch,
  Pets,
  petJson,
} from "../../../domain/pets.ts";
import { ofChange, ofPets } from "../openapi-headers.ts";
import { callerOf, operation, operationWithDoors } from "../operation.ts";
import { pageReader } from "../pages.ts";
import { PageQuery, pageOf } from "../paging.ts";
import {
  applied,
  createdResponse,
  IdempotentRequest,
  idempotencyKeyOf,
  notFound,
  ofIdempotentCreation,
  ofReplay,
  PetPath,
  wantsCount,
} from "../parameters.ts";
import { json, noContent, PATCH_TYPES } from "../request.ts";
import { ConditionalChange, etagOf, preconditionsIn } from "../responses.ts";
import { deprecation } from "../routes.ts";

/** Source: docs/deprecation.md. */
const getPetDeprecation = deprecation({
  deprecatedAt: Date.UTC(2026, 10, 20),
  removedAt: Date.UTC(2030, 11, 5),
  replacement: "GET /v1/pets?ids={petId}",
  successor: ({ petId = "" }) => ((plainInt64(petId) ?? 0n) > 0n ? `/pets?ids=${petId}` : "/pets"),
});

export const getPet = operationWithDoors({
  id: "getPet",
  route: "GET /pets/{petId}",
  scope: "pets:read",
  role: "viewer",
  summary: "Get one pet",
  description: "Use `GET /pets?ids={petId}` instead: this operation is removed on 5 December 2030.",
  deprecated: getPetDeprecation,
  forOperators: { summary: "Get a pet", description: "Returns a pet with its ETag." },
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
function locationOf(id: number, now: number): string {
  return now < getPetDeprecation.removedAt ? `/v1/pets/${id}` : `/v1/pets?ids=${id}`;
}

/** POST /pets. Source: docs/interface.md, Add a pet. */
export const createPet = operation({
  id: "createPet",
  route: "POST /pets",
  scope: "pets:write",
  summary: "Add a pet",
  description:
    "Adds a pet. The pet is on disk before the service returns 201. With an `Idempotency-Key` you can retry safely: for 24 hours a repeated request adds nothing and gets the first response.",
  request: { headers: IdempotentRequest, body: NewPet },
  answers: {
    201: { description: "The pet was added.", schema: Pet, example: examplePet, headers: ofIdempotentCreation },
  },
  refusals: ["idempotency_in_progress", "idempotency_key_reused"],
  handle: async ({ pets, clock }, { body, headers, context }) => {
    const now = clock();
    const key = idempotencyKeyOf(headers, context.key.id, now);
    const options = { now, requestId: context.requestId };
    const { created, isReplay } =
      key === undefined
        ? { created: await pets.create(body, options), isReplay: false }
        : await pets.createIdempotently(body, key, options);
    const { id, version } = created;
    return createdResponse(context, petJson(created), {
      location: locationOf(id, context.simulation?.now ?? now),
      tag: tagOfVersion(version),
      isReplay,
    });
  },
});

/** The largest body that adds many pets, in bytes: about a hundred names of the greatest length. */
const MAX_BATCH_BYTES = 256 * 1024;

/** POST /pets/batch. Source: docs/interface.md, Add many pets. */
export const createPets = operation({
  id: "createPets",
  route: "POST /pets/batch",
  scope: "pets:write",
  summary: "Add many pets",
  description:
    "Adds all of these pets, or none of them. They are on disk before the service returns 201. The request counts as the number of its pets in both limits, and is refused with 429 if so many do not remain; one that is invalid counts as one. An `Idempotency-Key` works as it does for one pet.",
  request: { headers: IdempotentRequest, body: NewPets, maxBytes: MAX_BATCH_BYTES },
  answers: {
    201: {
      description: "All pets were added.",
      schema: CreatedPets,
      example: { pets: [examplePet, { ...examplePet, id: 2, name: "Mia", categoryId: 2 }] },
      headers: ofReplay,
    },
  },
  refusals: ["idempotency_in_progress", "idempotency_key_reused"],
  cost: ({ headers, body, context }) => {
    idempotencyKeyOf(headers, context.key.id, 0);
    return costOfPets(body.pets, context.key.limits);
  },
  handle: async ({ pets, clock }, { body, headers, context }) => {
    const now = clock();
    const key = idempotencyKeyOf(headers, context.key.id, now);
    const { created, isReplay } = await pets.createAll(body.pets, { key, now, requestId: context.requestId });
    if (isReplay) context.headers["Idempotency-Replayed"] = "true";
    return json(context, 201, { pets: created.map(petJson) });
  },
});

/** PATCH /pets/{petId}. Source: docs/interface.md, Change a pet. */
export const updatePet = operationWithDoors({
  id: "updatePet",
  route: "PATCH /pets/{petId}",
  scope: "pets:write",
  role: "admin",
  summary: "Change a pet",
  description:
    "Changes the fields that the body names, and leaves the others as they are (RFC 7396). An available pet can become pending or sold, a pending one available or sold, a sold one available. While an order holds the pet, its status changes with the order alone.",
  forOperators: { description: "Changes the fields that the body names, by the rules of the public interface." },
  request: { params: PetPath, headers: ConditionalChange, body: PetPatch, types: PATCH_TYPES },
  answers: {
    200: {
      description: "The pet after the change.",
      schema: Pet,
      example: { ...examplePet, status: "sold" },
      headers: ofChange,
    },
  },
  refusals: ["pet_not_found", "precondition_failed", "pet_reserved", "invalid_transition"],
  handle: async ({ pets, clock }, { params, headers, body, context }) => {
    const preconditions = preconditionsIn(headers);
    const pet = await pets.update(params.petId, body, { ...callerOf(context).author, now: clock(), preconditions });
    return json(context, 200, petJson(pet), { ETag: etagOf(tagOfVersion(pet.version)) });
  },
});

/** DELETE /pets/{petId}. Source: docs/interface.md, Remove a pet. */
export const deletePet = operationWithDoors({
  id: "deletePet",
  route: "DELETE /pets/{petId}",
  scope: "pets:write",
  role: "admin",
  summary: "Remove a pet",
  description: "Removes a pet for good, unless an order holds it. Its id is never assigned again.",
  request: { params: PetPath, headers: ConditionalChange },
  answers: { 204: "The pet was removed." },
  refusals: ["pet_not_found", "precondition_failed", "pet_reserved"],
  handle: async ({ pets, clock }, { params, headers, context }) => {
    const preconditions = preconditionsIn(headers);
    await pets.delete(params.petId, { ...callerOf(context).author, now: clock(), preconditions });
    return noContent(context);
  },
});

/** GET /pets. Source: docs/paging.md. */
export const listPets = operation({
  id: "listPets",
  route: "GET /pets",
  scope: "pets:read",
  summary: "List pets",
  description:
    'Returns a page of pets, by id, ascending unless `order=desc`. The `Link` with `rel="next"` leads to the next page.',
  request: { query: PageQuery },
  answers: {
    200: { description: "A page of pets, possibly empty.", schema: Pets, example: [examplePet], headers: ofPets },
  },
  read: (services) => {
    const readPage = pageReader(services, { path: "/pets", pageOf, store: services.pets, jsonOf: petJson });
    return (input) => {
      const { context } = input;
      if (!wantsCount(context)) return readPage(input);
      return after(services.pets.count(pageOf(input.query)), (count) => {
        if (count !== undefined) {
          applied(context, "count=exact");
          context.headers["Petstore-Count"] = String(count);
        }
        return readPage(input);
      });
    };
  },
});
