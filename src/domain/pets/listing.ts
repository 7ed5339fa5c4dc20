import type { PetStatus } from "./pet.ts";

/** docs/paging.md: page size. */
export const PAGE = { default: 20, min: 1, max: 100 } as const;
export const MOST_IDS = 100;

/**
 * One page of the catalogue: at most `limit` pets with ids above `after`, ascending,
 * of one status and among `ids` where those are given.
 */
export type Page = { limit: number; after: bigint; status?: PetStatus | undefined; ids?: bigint[] | undefined };
