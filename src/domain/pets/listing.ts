import type { PetStatus } from "./pet.ts";

/** The page size (docs/paging.md). */
export const PAGE = { default: 20, min: 1, max: 100 } as const;
export const MAX_IDS = 100;

/** By id: the oldest pets first, or the newest. */
export const orders = ["asc", "desc"] as const;
export type Order = (typeof orders)[number];

/**
 * One page of the catalogue: at most `limit` pets, ascending with ids above `after`, or descending with ids below it;
 * of one status, of one category, with this name but for its case, and among `ids`, where those are given. The order is
 * ascending if left out.
 */
export type Page = {
  limit: number;
  after: bigint;
  order?: Order | undefined;
  status?: PetStatus | undefined;
  categoryId?: bigint | undefined;
  name?: string | undefined;
  ids?: bigint[] | undefined;
};
