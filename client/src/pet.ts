import { unexpected } from "./errors.ts";
import { type IntegerMode, type IntegerOf, integerOf } from "./int64.ts";
import type { components, Int64, operations } from "./schema.ts";

type Schemas = components["schemas"];
type Query = NonNullable<operations["listPets"]["parameters"]["query"]>;

/** Availability of a pet: `available`, `pending` or `sold`. */
export type PetStatus = Schemas["PetStatus"];

/** What adds a pet: `name`, `categoryId` and, if you like, `status`, which is `available` otherwise. */
export type NewPet = Schemas["NewPet"];

/** A pet in the catalogue. With `"bigint"` its `id` and `categoryId` always are bigints. */
export type Pet<Mode extends IntegerMode = "mixed"> = {
  [Field in keyof Schemas["Pet"]]: Int64 extends Schemas["Pet"][Field] ? IntegerOf<Mode> : Schemas["Pet"][Field];
};

/**
 * Which pets to list: of one `status`, or among `ids` (1 to 100), at most `limit` (1 to 100) of them at
 * a time. By id: `asc`, with ids above `after`, or in the `order` `desc`, newest first, with ids below it.
 */
export type PetQuery = { [Parameter in keyof Query]?: Query[Parameter] | undefined };

/** A page of pets, by id, in the order asked for. `next` asks for the page after it, and is undefined on the last one. */
export interface PetPage<Mode extends IntegerMode = "mixed"> {
  /** The pets on this page, perhaps none. */
  readonly pets: Pet<Mode>[];
  /** What to call `listPets` with for the next page. */
  readonly next: PetQuery | undefined;
}

/** A pet as the service sent it, its integers as the mode wants them. @throws ConnectionError when it is none */
export function petOf<Mode extends IntegerMode>(value: unknown, mode: Mode, requestId: string): Pet<Mode> {
  if (typeof value !== "object" || value === null || !("id" in value) || !("categoryId" in value)) {
    throw unexpected("The answer is not a pet.", 200, requestId);
  }
  const id = integerOf(value.id, mode);
  const categoryId = integerOf(value.categoryId, mode);
  if (id === undefined || categoryId === undefined) {
    throw unexpected("The answer has an integer that is not one.", 200, requestId);
  }
  // What the service sends beside its integers is taken as the document has it.
  return { ...value, id, categoryId } as Pet<Mode>;
}
