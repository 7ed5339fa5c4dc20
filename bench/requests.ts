import { lastAfter } from "./catalogue.ts";

/** The list that everything is compared by: 20 animals, filtered. */
export const LIST = "/v1/pets?limit=20&status=available";

/** What an animal of the benchmark's own looks like on the way in. */
const NEW_PET = '{"name":"Benchmark","categoryId":7,"status":"pending"}';

/** The requests of each load, as lines "METHOD PATH" or "METHOD PATH BODY". */
export const listRequests = [`GET ${LIST}`];
export const createRequests = [`POST /v1/pets ${NEW_PET}`];

/**
 * Requests for lists of which none is answered from the page cache. The cache knows a page by its query string,
 * keeps about 5,000 pages, and is emptied whenever the database changes, which the counters alone do every second;
 * between two equal requests here lie all the others. Small catalogues have fewer pages than that: there a parameter
 * that the service ignores makes every query string another one.
 */
export function uncachedListRequests(size: number): string[] {
  const afters = Array.from({ length: DIFFERENT }, (_, i) => (i * STRIDE) % lastAfter(size));
  return afters.map((after, i) => `GET ${LIST}&after=${after}${size < DIFFERENT ? `&request=${i}` : ""}`);
}

/** The `after` of the first of those. */
export const FIRST_AFTER = 0;

/** Requests for single animals, from all over a catalogue. */
export function getRequests(size: number): string[] {
  return Array.from({ length: DIFFERENT }, (_, i) => `GET /v1/pets/${((i * STRIDE) % size) + 1}`);
}

/** What a busy shop sees: of ten requests four for the first page, two for others, three for one animal, one creation. */
export function mixedRequests(size: number): string[] {
  const lists = uncachedListRequests(size);
  const gets = getRequests(size);
  return Array.from({ length: DIFFERENT }, (_, i) => {
    const kind = i % 10;
    if (kind < 4) return listRequests[0];
    if (kind < 6) return lists[i];
    return kind < 9 ? gets[i] : createRequests[0];
  }).filter((request) => request !== undefined);
}

const DIFFERENT = 50_000;
/** A prime: steps of this size visit everything before they come back, in an order that looks random. */
const STRIDE = 7_368_787;
