import { hash } from "node:crypto";
import { z } from "zod";
import type { Authored, NewAuditEntry } from "./audit.ts";
import type { Awaitable } from "./awaitable.ts";
import type { ChangeOptions, CreationOptions, IdempotencyKey, IdempotentCreation } from "./changes.ts";
import { invalidField, PetstoreError } from "./errors.ts";
import { exactInteger } from "./json.ts";
import type { Limits } from "./limits/limits.ts";
import { anyInt64, assignedId, nameUpTo, reference } from "./schemas.ts";
import { petTransitions, requireTransition } from "./transitions.ts";

/** docs/interface.md, Resources: PetStatus. */
export const PetStatus = z
  .enum(["available", "pending", "sold"], { error: "must be one of available, pending, sold" })
  .meta({ id: "PetStatus", description: "Availability of a pet.", examples: ["available"] });

export type PetStatus = z.infer<typeof PetStatus>;

export const DEFAULT_STATUS: PetStatus = "available";

export const petName = nameUpTo(
  255,
  "The pet's name: not blank, without control characters, stored exactly as sent.",
  "Rex",
);
const name = petName.schema;

const categoryId = anyInt64(
  "Identifier of the category the pet belongs to. Any int64, unless the operator of the service has it check that the category exists.",
);

export const examplePet = { id: 1, name: "Rex", categoryId: 1, status: "available" } as const;
const { id: _, ...exampleNewPet } = examplePet;

/** docs/interface.md, Resources: NewPet, the body that creates a pet. Unknown fields are ignored. */
export const NewPet = z
  .object(
    { name, categoryId, status: reference(PetStatus).optional().meta({ default: DEFAULT_STATUS }) },
    { error: "must be a JSON object with name, categoryId and optionally status" },
  )
  .meta({
    id: "NewPet",
    description: "The request body that adds a pet. Unknown fields are ignored.",
    examples: [exampleNewPet],
  });

export type NewPet = z.infer<typeof NewPet>;

/** The most pets that one request adds. */
export const MAX_BATCH = 100;

const BATCH_RULE = `must be an array of 1 to ${MAX_BATCH} pets`;

/** docs/interface.md, Add many pets: the body that creates all of its pets, or none. */
export const NewPets = z
  .object(
    {
      pets: z.array(NewPet, { error: BATCH_RULE }).min(1, { error: BATCH_RULE }).max(MAX_BATCH, { error: BATCH_RULE }),
    },
    { error: "must be a JSON object with pets" },
  )
  .meta({
    id: "NewPets",
    description: "The request body that adds many pets. Unknown fields are ignored.",
    examples: [
      {
        pets: [
          { name: "Rex", categoryId: 1 },
          { name: "Mia", categoryId: 2 },
        ],
      },
    ],
  });

/**
 * Returns how many requests the creation of so many pets counts as: their number.
 * @throws validation_failed if they never fit into the limits
 */
export function costOfPets({ length }: readonly NewPet[], { perMinute, perDay }: Limits): number {
  const [limit, period] = perMinute < perDay ? [perMinute, "minute"] : [perDay, "day"];
  if (length <= limit) return length;
  const problem = `has ${length} pets, and this API key may send ${limit} requests in a ${period}: send fewer pets at once`;
  throw invalidField("pets", problem);
}

/** The text of a request that adds a pet: equal for equal pets. */
export function petRequest({ name, categoryId, status = DEFAULT_STATUS }: NewPet): string {
  return `createPet ${status} ${categoryId} ${name}`;
}

/** The same for many pets. No name has a line break. */
export function petsRequest(pets: readonly NewPet[]): string {
  return `createPets ${hash("sha256", pets.map(petRequest).join("\n"), "base64url")}`;
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
    id: assignedId("Unique identifier, assigned by the service on creation. Positive, increasing, below 2^53."),
    name,
    categoryId,
    status: PetStatus,
  })
  .meta({ id: "Pet", description: "A pet in the catalogue.", examples: [examplePet] });

export type Pet = z.infer<typeof Pet>;

/** A pet as it is stored: `version` is 1 at first, and grows by 1 with every change. */
export type StoredPet = Pet & { version: number };

export const FIRST_VERSION = 1;

/** The page size (docs/paging.md). */
export const PAGE = { default: 20, min: 1, max: 100 } as const;

/** docs/interface.md, Resources: Pets. */
export const Pets = z
  .array(Pet)
  .max(PAGE.max)
  .meta({ id: "Pets", description: "Pets, by id: ascending, unless `order=desc`." });

/** docs/interface.md, Add many pets: the pets that a request added, in its order. */
export const CreatedPets = z
  .object({ pets: z.array(Pet).min(1).max(MAX_BATCH) })
  .meta({ id: "CreatedPets", description: "The pets that a request added, in its order." });

/** A pet for JSON.stringify, which writes `categoryId` with all its digits. */
export function petJson({ id, name, categoryId, status }: Pet) {
  return { id, name, categoryId: exactInteger(categoryId), status };
}

export const MAX_IDS = 100;

/** By id: the oldest pets first, or the newest. */
export const directions = ["asc", "desc"] as const;

export type Direction = (typeof directions)[number];

/**
 * One page of the catalogue: at most `limit` pets, ascending with ids above `after`, or descending with ids below it;
 * of one status, of one category, with names of this filter, and among `ids`, where those are given. The order is ascending if
 * left out.
 */
export type Page = {
  limit: number;
  after: bigint;
  order?: Direction | undefined;
  status?: PetStatus | undefined;
  categoryId?: bigint | undefined;
  name?: string | undefined;
  ids?: bigint[] | undefined;
};

/** The pets of a page. If there are fewer than its limit, and those behind the id `readTo` were not looked at, that is set. */
export type PetList = StoredPet[] & { readTo?: number };

/** What selects pets for a list, on whichever of its pages. */
export type PetFilters = Pick<Page, "status" | "categoryId" | "name" | "ids">;

/** How long a count of pets may take, in ms. */
export const COUNT_TIME = 50;

export const exampleInventory: Record<PetStatus, number> = { available: 12, pending: 3, sold: 5 };

const count = z.int().meta({ type: "integer", format: "int64", minimum: 0, examples: [12] });

/** docs/interface.md, Inventory: how many pets have each status. */
export const Inventory = z
  .object({
    available: count.meta({ description: "Pets that can be ordered." }),
    pending: count.meta({ description: "Pets that an order holds, or that were set aside." }),
    sold: count.meta({ description: "Pets that were sold." }),
  } satisfies Record<PetStatus, z.ZodType>)
  .meta({
    id: "Inventory",
    description: "How many pets of each status there are.",
    examples: [exampleInventory],
  });

export type Inventory = z.infer<typeof Inventory>;

export function countByStatus(pets: Iterable<{ status?: PetStatus | undefined }>): Inventory {
  const counts: Inventory = { available: 0, pending: 0, sold: 0 };
  for (const { status = DEFAULT_STATUS } of pets) counts[status] += 1;
  return counts;
}

/**
 * Returns the pet after a change: with the next version, or as it is if nothing changes. `holder` is the id of the order
 * that holds the pet, if one does: then the status is the order's business.
 * @throws pet_reserved, naming the order; invalid_transition, naming the statuses that are allowed
 */
export function changed(
  pet: StoredPet,
  { name = pet.name, categoryId = pet.categoryId, status = pet.status }: PetPatch,
  holder?: number,
): StoredPet {
  if (isSame(pet, { name, categoryId, status })) return pet;
  if (status !== pet.status) {
    requireNotReserved(holder);
    requireTransition("A pet", petTransitions, pet.status, status);
  }
  return { ...pet, name, categoryId, status, version: pet.version + 1 };
}

export function isSame(
  pet: StoredPet,
  { name = pet.name, categoryId = pet.categoryId, status = pet.status }: PetPatch,
): boolean {
  return name === pet.name && categoryId === pet.categoryId && status === pet.status;
}

/** Whether a change takes a sold pet back: it then gets another status. */
export function takesBack(pet: StoredPet, { status = pet.status }: PetPatch): boolean {
  return pet.status === "sold" && status !== "sold";
}

/** @throws pet_reserved, naming the order that holds the pet, if one does */
export function requireNotReserved(holder: number | undefined): void {
  if (holder === undefined) return;
  const message = `Order ${holder} holds this pet. Deliver or cancel the order to change the pet's status or remove it.`;
  throw new PetstoreError("pet_reserved", { message });
}

export function withStatus(pet: StoredPet, status: PetStatus): StoredPet {
  return { ...pet, status, version: pet.version + 1 };
}

/**
 * A filter of names: a name, or a text with `*` at its end for all names that begin so; `*` alone is every name. With escapes it may
 * be longer than its bounds, which hold for texts without any.
 */
export const petNameFilter = {
  ...petName,
  isValid: (filter: string) => filter === "*" || petName.isValid(readNameFilter(filter).text),
};

/**
 * Reads a filter of names. Of the backslashes before the last `*` each two are one; the one that is left takes its meaning from the
 * `*`. Everywhere else both are characters of the name.
 */
export function readNameFilter(filter: string): { text: string; isBeginning: boolean } {
  if (!filter.endsWith("*") || filter.length > 8 * petName.bounds.maxLength)
    return { text: filter, isBeginning: false };
  const [escapes = ""] = /\\*$/.exec(filter.slice(0, -1)) ?? [];
  const isBeginning = escapes.length % 2 === 0;
  const text = filter.slice(0, -1 - Math.ceil(escapes.length / 2));
  return { text: isBeginning ? text : `${text}*`, isBeginning };
}

const folded = (name: string) => name.normalize("NFKC").toLowerCase();

/** The longest key without a digest, in UTF-16 code units: PostgreSQL's index has room for it. Few names have a longer NFKC form. */
const MAX_KEY = 512;
const DIGEST = 22;

/**
 * Returns the same text for names that are equal when case is ignored: their NFKC form in lower case. Computed here and not by
 * an engine, so that every store agrees. Of a longer one it is the beginning with a digest of 132 bits.
 */
export function nameKey(name: string): string {
  const text = folded(name);
  if (text.length <= MAX_KEY) return text;
  const whole = text.slice(0, MAX_KEY).replace(/[\ud800-\udbff]$/, "");
  return whole + hash("sha256", text, "base64url").slice(0, DIGEST);
}

/** No character is above it, and no name has so many. */
const ABOVE_ALL = "\u{10ffff}".repeat(petName.bounds.maxLength + 1);

/** The names that begin so, but for their case: their keys are from `from` to below `below`, unless the beginning is too long for a key. */
export type Beginning = { from: string; below: string; isTooLong: boolean; matches: (name: string) => boolean };

export function beginningOf(text: string): Beginning {
  const beginning = folded(text);
  // The lower case of a sigma depends on whether a letter follows.
  const forms = /[ςσ]$/.test(beginning) ? ["ς", "σ"].map((sigma) => beginning.slice(0, -1) + sigma) : [beginning];
  return {
    from: forms[0] ?? "",
    below: forms.at(-1) + ABOVE_ALL,
    isTooLong: beginning.length >= MAX_KEY,
    matches: (name) => forms.some((form) => folded(name).startsWith(form)),
  };
}

/** With `keepsSold` a pet that was sold by a delivered order stays sold, even if the change gives it another status. */
export type PetUpdateOptions = ChangeOptions & { keepsSold?: boolean | undefined };

/**
 * Stores pets. Ids are positive, increasing and below 2^53; every int64 is exact. A change of an author is stored with its
 * audit entry, or neither.
 */
export interface PetStore {
  /**
   * Adds a pet, which is durable when the promise resolves.
   * @throws service_unavailable; validation_failed for an unknown category, if the store checks categories
   */
  create(pet: NewPet, options: Authored): Promise<StoredPet>;
  /**
   * Adds a pet, unless an earlier creation had this idempotency key: then it adds nothing, and returns the pet as it was
   * added. The key is stored for `IDEMPOTENCY_KEY_LIFETIME`, in the transaction that adds the pet: repeated requests, on
   * any number of nodes and after crashes, add one pet.
   * @throws idempotency_key_reused when the earlier creation added another pet
   * @throws idempotency_in_progress while the earlier creation is in progress
   * @throws what `create` throws
   */
  createIdempotently(pet: NewPet, key: IdempotencyKey, options?: Authored): Promise<IdempotentCreation<StoredPet>>;
  /**
   * Adds all of these pets in one transaction, or none, and returns them in the same order. With an idempotency key as
   * `createIdempotently`. @throws what that throws
   */
  createAll(pets: readonly NewPet[], options: CreationOptions): Promise<IdempotentCreation<StoredPet[]>>;
  /** Returns the pet with this id. @throws service_unavailable when the store cannot be read */
  get(id: bigint): Awaitable<StoredPet | undefined>;
  /** Returns a page of pets, in its order. @throws service_unavailable when the store cannot be read */
  list(page: Page): Awaitable<PetList>;
  /**
   * Changes a pet, and returns it. The change is durable when the promise resolves.
   * @throws pet_not_found, precondition_failed, pet_reserved, invalid_transition, service_unavailable; validation_failed as
   * `create` does
   */
  update(id: bigint, patch: PetPatch, options: PetUpdateOptions): Promise<StoredPet>;
  /**
   * Removes a pet for good: its id is never assigned again.
   * @throws pet_not_found, precondition_failed, pet_reserved, service_unavailable
   */
  delete(id: bigint, options: ChangeOptions): Promise<void>;
  /**
   * Returns how many pets satisfy the filters of a page, on all pages; undefined if to count them could take longer than
   * `COUNT_TIME`. @throws service_unavailable
   */
  count(page: PetFilters): Awaitable<number | undefined>;
  /** Returns how many pets of each status there are, exactly, in constant time. @throws service_unavailable */
  inventory(): Awaitable<Inventory>;
  /**
   * Returns a number that changes whenever any process may have written to the store, as of the last refresh: equal
   * numbers mean equal results. Undefined for a store that cannot detect changes.
   */
  revision(): number | undefined;
}

/** Imports and exports many pets while other clients use the catalogue. */
export interface BulkPets {
  /**
   * Adds all pets, and keeps the entry of their import, which goes on. Both are durable when the promise resolves. Adds nothing and
   * returns false unless all of `categories` exist. @throws service_unavailable
   */
  add(pets: NewPet[], entry: NewAuditEntry, categories?: readonly bigint[]): Promise<boolean>;
  /**
   * Yields pages of all pets, or those of one status, by id: a consistent snapshot of one moment.
   * @throws service_unavailable
   */
  snapshot(status?: PetStatus): Iterable<StoredPet[]> | AsyncIterable<StoredPet[]>;
}

/** The pets to add in one transaction: many enough for speed, few enough that requests wait for about 2 ms. */
export const BATCH = 500;

export const SNAPSHOT_PAGE = 500;
