import { PAGE_SIZE, PAGE_SPAN } from "./catalogue.ts";

/** A request, as requests.lua reads it: "METHOD PATH" or "METHOD PATH BODY". */
export type RequestLine = string;

/** The list in the benchmarks: 20 pets, filtered. */
export const LIST = `/v1/pets?limit=${PAGE_SIZE}&status=available`;

export const list: RequestLine = `GET ${LIST}`;
export const creation: RequestLine = 'POST /v1/pets {"name":"Benchmark","categoryId":7,"status":"pending"}';
/** The response to it. */
export const created = /^\{"id":\d+,"name":"Benchmark","categoryId":7,"status":"pending"\}$/;

/** The number of different requests before a load repeats them. */
const DISTINCT = 90_000;
/** A prime: steps of this size visit every id once before they repeat, in a seemingly random order. */
export const STRIDE = 7_368_787;

/** Pages from all over a catalogue, each once if the catalogue is large enough. */
export function scatteredPages(size: number): RequestLine[] {
  return pages(size, STRIDE);
}

/** A catalogue page by page, as a client that follows the links reads it, repeatedly. */
export function consecutivePages(size: number): RequestLine[] {
  return pages(size, PAGE_SPAN);
}

/**
 * The service caches a repeated page by its query string until something in the store changes.
 * `turn`, a parameter that the service ignores, makes each query string unique, so that no page comes from the cache.
 */
function pages(size: number, step: number): RequestLine[] {
  const afters = size - PAGE_SPAN;
  return distinct((i) => `${list}&after=${(i * step) % afters}&turn=${i}`);
}

/** The events or pets of a catalogue page by page, 100 on each, as a client that copies all reads them, repeatedly. */
export function wholePages(path: "events" | "pets", size: number): RequestLine[] {
  return distinct((i) => `GET /v1/${path}?limit=100&after=${(i * 100 + 1) % (size - 100)}&turn=${i}`);
}

/** Single pets from all over a catalogue. */
export function pets(size: number): RequestLine[] {
  return distinct((i) => `GET /v1/pets/${((i * STRIDE) % size) + 1}`);
}

/** The traffic of a busy shop: of ten requests, four first pages, two other pages, three single pets and a creation. */
export function mixture(size: number): RequestLine[] {
  const [others, singles] = [scatteredPages(size), pets(size)];
  return distinct((i) => {
    const kind = i % 10;
    if (kind < 4) return list;
    if (kind < 9) return (kind < 6 ? others : singles)[i] ?? list;
    return creation;
  });
}

export function distinct(request: (i: number) => RequestLine): RequestLine[] {
  return Array.from({ length: DISTINCT }, (_, i) => request(i));
}
