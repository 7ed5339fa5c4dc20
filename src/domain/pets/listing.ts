import type { PetStatus } from "./pet.ts";

/** The page size (docs/paging.md). */
export const PAGE = { default: 20, min: 1, max: 100 } as const;
export const MAX_IDS = 100;

/**
 * A page of the catalogue: at most `limit` pets with ids above `after`, ascending; with `status` and `ids` only pets that
 * match these.
 */
export type Page = { limit: number; after: bigint; status?: PetStatus | undefined; ids?: bigint[] | undefined };
