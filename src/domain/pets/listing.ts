import { type Detail, PetstoreError } from "../errors.ts";
import { INT64_MAX, plainInt64 } from "../int64.ts";
import { PetStatus } from "./pet.ts";

/** docs/paging.md: page size. */
export const PAGE = { default: 20, min: 1, max: 100 } as const;
export const MOST_IDS = 100;

/**
 * One page of the catalogue: at most `limit` pets with ids above `after`, ascending,
 * of one status and among `ids` where those are given.
 */
export type Page = { limit: number; after: bigint; status?: PetStatus; ids?: bigint[] };

function readLimit(text: string): number | undefined {
  const limit = Number(plainInt64(text));
  return limit >= PAGE.min && limit <= PAGE.max ? limit : undefined;
}

function readStatus(text: string): PetStatus | undefined {
  return PetStatus.safeParse(text).data;
}

function readIds(text: string): bigint[] | undefined {
  const ids = text.split(",").map(plainInt64);
  if (ids.length > MOST_IDS) return undefined;
  return ids.every((id): id is bigint => id !== undefined && id > 0n) ? ids : undefined;
}

const BOUNDS = {
  limit: `must be an integer from ${PAGE.min} to ${PAGE.max}`,
  status: `must be one of ${PetStatus.options.join(", ")}`,
  after: `must be the id of a pet: an integer from 0 to ${INT64_MAX}`,
  ids: `must be 1 to ${MOST_IDS} ids, separated by commas, each an integer from 1 to ${INT64_MAX}`,
} as const;

/**
 * The page that a query string asks for. Unknown parameters are ignored, nothing is clamped.
 * @throws invalid_parameter naming every parameter that is repeated or out of bounds, with its bounds
 */
export function readPage(query: URLSearchParams): Page {
  const details: Detail[] = [];
  const read = <T>(field: keyof typeof BOUNDS, parse: (text: string) => T | undefined): T | undefined => {
    const texts = query.getAll(field);
    if (texts.length === 0) return undefined;
    const value = texts.length === 1 ? parse(texts[0] ?? "") : undefined;
    if (value === undefined) {
      details.push({ in: "query", field, problem: texts.length > 1 ? "must be given once" : BOUNDS[field] });
    }
    return value;
  };
  const limit = read("limit", readLimit) ?? PAGE.default;
  const status = read("status", readStatus);
  const after = read("after", plainInt64) ?? 0n;
  const ids = read("ids", readIds);
  if (details.length > 0) {
    const message = details.map(({ field, problem }) => `Query parameter ${field} ${problem}.`).join(" ");
    throw new PetstoreError("invalid_parameter", { message, details });
  }
  return { limit, after, ...(status && { status }), ...(ids && { ids }) };
}

/** The query string of the page that follows `page`, whose last pet is `last`. */
export function nextQuery(page: Page, last: number): string {
  const status = page.status === undefined ? "" : `&status=${page.status}`;
  const left = page.ids?.filter((id) => id > BigInt(last));
  const ids = left === undefined ? "" : `&ids=${left.join(",")}`;
  return `limit=${page.limit}${status}${ids}&after=${last}`;
}
