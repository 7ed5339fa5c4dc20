import { z } from "zod";
import { entryJson, type RecordedEntry } from "../../domain/audit.ts";
import { type Category, categoryJson, NewCategory } from "../../domain/categories.ts";
import { INT64_MAX, INT64_MIN } from "../../domain/int64.ts";
import { toJson } from "../../domain/json.ts";
import { orderJson, type StoredOrder } from "../../domain/orders.ts";
import { NewPet, type Pet, PetPatch, petJson } from "../../domain/pets.ts";
import type { ReadableContent, WritableContent } from "./content.ts";

const columns = { name: "text", categoryId: "integer", status: "text" } as const;

export const newPets: ReadableContent<NewPet> = {
  columns,
  required: ["name", "categoryId"],
  schemaOf: () => NewPet,
};

/** A change of the pet with this id: what the line leaves out stays as it is. */
const PetChange = PetPatch.extend({ id: z.bigint({ error: "must be the id of a pet" }) });
export type PetChange = z.infer<typeof PetChange>;

/** Pets to change, which have an id, and pets to add, which have none. */
export const petChanges: ReadableContent<PetChange | NewPet> = {
  columns: { id: "integer", ...columns },
  required: ["id"],
  schemaOf: (value) => (hasId(value) ? PetChange : NewPet),
};

export const pets: WritableContent<Pet> = {
  columns: ["id", "name", "categoryId", "status"],
  json: (pet) => JSON.stringify(petJson(pet)),
  cells: ({ id, name, categoryId, status }, text) => [String(id), text(name), String(categoryId), status],
};

function hasId(value: unknown): boolean {
  return typeof value === "object" && value !== null && "id" in value && value.id !== undefined;
}

/** A category to put under this id, or to create under a new one. */
const CategoryLine = NewCategory.extend({
  id: z.bigint({ error: `must be an integer from ${INT64_MIN} to ${INT64_MAX}` }).optional(),
});
export type CategoryLine = z.infer<typeof CategoryLine>;

export const categoryLines: ReadableContent<CategoryLine> = {
  columns: { id: "integer", name: "text" },
  required: ["name"],
  schemaOf: () => CategoryLine,
};

export const categories: WritableContent<Category> = {
  columns: ["id", "name"],
  json: (category) => JSON.stringify(categoryJson(category)),
  cells: ({ id, name }, text) => [String(id), text(name)],
};

export const orders: WritableContent<StoredOrder> = {
  columns: ["id", "petId", "status", "createdAt", "updatedAt", "petName", "petCategoryId", "reference", "expiresAt"],
  json: (order) => JSON.stringify(orderJson(order)),
  cells: (order, text) => {
    const { id, petId, status, createdAt, updatedAt, reference = "", expiresAt = "" } = orderJson(order);
    const { name = "", categoryId = "" } = order.pet ?? {};
    const all = [id, petId, status, createdAt, updatedAt, text(name), categoryId, text(reference), expiresAt];
    return all.map(String);
  },
};

/** In CSV the states before and after a change are JSON, and what an entry lacks is empty. */
export const auditEntries: WritableContent<RecordedEntry> = {
  columns: ["id", "at", "operatorId", "operator", "action", "target", "before", "after", "requestId"],
  json: (entry) => toJson(entryJson(entry)),
  cells: (entry, text) => {
    const { id, at, operator, action, target, before, after, requestId } = entryJson(entry);
    const states = [before, after].map((state) => (state === null ? null : toJson(state)));
    const texts = [operator.id, operator.name, action, target, ...states, requestId];
    return [String(id), at, ...texts.map((one) => text(one ?? ""))];
  },
};
