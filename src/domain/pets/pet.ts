import { z } from "zod";
import { INT64_MAX, INT64_MIN } from "../int64.ts";
import { reference } from "../reference.ts";
import { isSingleLine, SINGLE_LINE } from "../single-line.ts";

/** docs/interface.md, Resources: PetStatus. */
export const PetStatus = z
  .enum(["available", "pending", "sold"], { error: "must be one of available, pending, sold" })
  .meta({ id: "PetStatus", description: "Availability of a pet.", examples: ["available"] });
export type PetStatus = z.infer<typeof PetStatus>;

/** The status of a pet that was created without one. */
export const DEFAULT_STATUS: PetStatus = "available";

const MAX_NAME_LENGTH = 255;
/** What a name must be, for people. */
export const NAME_RULE = `1 to ${MAX_NAME_LENGTH} characters, not blank, without control characters or lone surrogates`;

/** The same, in the document. */
export const nameBounds = { minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: SINGLE_LINE, examples: ["Rex"] };

const name = z
  .string({ error: (issue) => (issue.input === undefined ? "is required" : "must be a string") })
  .refine(isName, {
    error: `must be ${NAME_RULE}`,
  })
  .meta({
    ...nameBounds,
    description: "The pet's name: stored exactly as sent.",
  });

export function isName(text: string): boolean {
  return isSingleLine(text, MAX_NAME_LENGTH);
}

/** An int64: a bigint in the code, an integer in JSON. */
const categoryId = z
  .bigint({ error: (issue) => (issue.input === undefined ? "is required" : `must be ${INT64_RANGE}`) })
  .meta({
    description:
      "Identifier of the category the pet belongs to. Any int64, unless the operator of the service has it check that the category exists.",
    type: "integer",
    format: "int64",
    minimum: INT64_MIN,
    maximum: INT64_MAX,
    examples: [1],
  });

const INT64_RANGE = `an integer from ${INT64_MIN} to ${INT64_MAX}`;

/** docs/interface.md, Resources: NewPet, the body that creates a pet. Unknown fields are ignored. */
export const NewPet = z
  .object(
    { name, categoryId, status: reference(PetStatus).optional().meta({ default: DEFAULT_STATUS }) },
    { error: "must be a JSON object with name, categoryId and optionally status" },
  )
  .meta({
    id: "NewPet",
    description: "The request body that adds a pet. Unknown fields are ignored.",
    examples: [{ name: "Rex", categoryId: 1, status: "available" }],
  });
export type NewPet = z.infer<typeof NewPet>;

/** The text of a request that adds a pet: equal for equal pets. */
export function petRequest({ name, categoryId, status = DEFAULT_STATUS }: NewPet): string {
  return `createPet ${status} ${categoryId} ${name}`;
}

/** The body that changes a pet, as a merge patch (RFC 7396). A field that is left out stays as it is. */
export const PetPatch = z
  .object(
    { name: name.optional(), categoryId: categoryId.optional(), status: reference(PetStatus).optional() },
    { error: "must be a JSON object with the fields to change: name, categoryId, status" },
  )
  .meta({
    id: "PetPatch",
    description: "The fields of a pet to change. Unknown fields are ignored.",
    examples: [{ status: "sold" }],
  });
export type PetPatch = z.infer<typeof PetPatch>;

/** docs/interface.md, Resources: Pet. `id` is positive and below 2^53. */
export const Pet = z
  .object({
    id: z.int().meta({
      description: "Unique identifier, assigned by the service on creation. Positive, increasing, below 2^53.",
      type: "integer",
      format: "int64",
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      examples: [1],
    }),
    name,
    categoryId,
    status: PetStatus,
  })
  .meta({
    id: "Pet",
    description: "A pet in the catalogue.",
    examples: [{ id: 1, name: "Rex", categoryId: 1, status: "available" }],
  });
export type Pet = z.infer<typeof Pet>;

/** A pet as it is stored: `version` is 1 at first, and grows by 1 with every change. */
export type StoredPet = Pet & { version: number };
export const FIRST_VERSION = 1;

/** docs/interface.md, Resources: Pets. */
export const Pets = z.array(Pet).meta({ id: "Pets", description: "Pets, by id: ascending, unless `order=desc`." });
