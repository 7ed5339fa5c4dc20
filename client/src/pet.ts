import type { IntegerMode } from "./int64.ts";
import type { Kind, QueryOf, Resource } from "./resource.ts";
import type { components, operations } from "./schema.ts";

type Schemas = components["schemas"];

/** Availability of a pet: `available`, `pending` or `sold`. */
export type PetStatus = Schemas["PetStatus"];

/** A pet to add: `name`, `categoryId` and, optionally, `status`, by default `available`. */
export type NewPet = Schemas["NewPet"];

/** The fields of a pet to change. */
export type PetPatch = Schemas["PetPatch"];

/**
 * A pet in the catalogue. With `"bigint"` its `id` and `categoryId` are always bigints. `JSON.stringify` writes them with all
 * digits; where the platform lacks `JSON.rawJSON`, a bigint beyond 2^53 becomes a string.
 */
export type Pet<Mode extends IntegerMode = "mixed"> = Resource<Mode, Schemas["Pet"]>;

/**
 * The pets to list: with this `status`, `categoryId` and `name` (in any case), among these `ids` (1 to 100); at most `limit`
 * (1 to 100) per page. By id: ascending with ids above `after`, or in the `order` `desc` with ids below it.
 */
export type PetQuery = QueryOf<NonNullable<operations["listPets"]["parameters"]["query"]>>;

/** A page of pets, by id, in the order of the query. */
export interface PetPage<Mode extends IntegerMode = "mixed"> {
  /** The pets on this page, possibly none. */
  readonly pets: Pet<Mode>[];
  /** The query for the next page; undefined on the last page. */
  readonly next: PetQuery | undefined;
}

export const PET: Kind<Schemas["Pet"]> = {
  name: "a pet",
  path: "/pets",
  list: "listPets",
  integers: ["id", "categoryId"],
};
