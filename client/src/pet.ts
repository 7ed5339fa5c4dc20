import { unexpected } from "./errors.ts";
import { type IntegerMode, type IntegerOf, integerOf, withJson } from "./int64.ts";
import type { components, Int64, operations } from "./schema.ts";

type Schemas = components["schemas"];
type Query = NonNullable<operations["listPets"]["parameters"]["query"]>;

/** Availability of a pet: `available`, `pending` or `sold`. */
export type PetStatus = Schemas["PetStatus"];

/** A pet to add: `name`, `categoryId` and, optionally, `status`, by default `available`. */
export type NewPet = Schemas["NewPet"];

/**
 * A pet in the catalogue. With `"bigint"` its `id` and `categoryId` are always bigints. `JSON.stringify` writes them with all
 * digits; where the platform lacks `JSON.rawJSON`, a bigint beyond 2^53 becomes a string.
 */
export type Pet<Mode extends IntegerMode = "mixed"> = {
  [Field in keyof Schemas["Pet"]]: Int64 extends Schemas["Pet"][Field] ? IntegerOf<Mode> : Schemas["Pet"][Field];
};

/**
 * The pets to list: with this `status`, or with one of these `ids` (1 to 100); at most `limit` (1 to 100) per page. By id:
 * ascending with ids above `after`, or in the `order` `desc` with ids below it.
 */
export type PetQuery = { [Parameter in keyof Query]?: Query[Parameter] | undefined };

/** A page of pets, by id, in the order of the query. */
export interface PetPage<Mode extends IntegerMode = "mixed"> {
  /** The pets on this page, possibly none. */
  readonly pets: Pet<Mode>[];
  /** The query for the next page; undefined on the last page. */
  readonly next: PetQuery | undefined;
}

/** Converts the integers of a pet to the mode. @throws ConnectionError when the value is not a pet */
export function petOf<Mode extends IntegerMode>(value: unknown, mode: Mode, requestId: string): Pet<Mode> {
  if (typeof value !== "object" || value === null || !("id" in value) || !("categoryId" in value)) {
    throw unexpected("The response is not a pet.", 200, requestId);
  }
  const id = integerOf(value.id, mode);
  const categoryId = integerOf(value.categoryId, mode);
  if (id === undefined || categoryId === undefined) {
    throw unexpected("The response has an invalid integer.", 200, requestId);
  }
  // The other fields are not checked: the service guarantees its document.
  return withJson({ ...value, id, categoryId }) as Pet<Mode>;
}

/** The same for a list. @throws ConnectionError when the value is not a list of pets */
export function petsOf<Mode extends IntegerMode>(value: unknown, mode: Mode, requestId: string): Pet<Mode>[] {
  if (!Array.isArray(value)) throw unexpected("The response is not a list of pets.", 200, requestId);
  return value.map((pet) => petOf(pet, mode, requestId));
}
