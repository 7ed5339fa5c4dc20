import { PAGE_SIZE, PAGE_SPAN } from "./catalogue.ts";

/** A request, as requests.lua reads it: "METHOD PATH" or "METHOD PATH BODY". */
export type RequestLine = string;

/** The list that everything is compared by: 20 pets, filtered. */
export const LIST = `/v1/pets?limit=${PAGE_SIZE}&status=available`;

export const list: RequestLine = `GET ${LIST}`;
export const creation: RequestLine = 'POST /v1/pets {"name":"Benchmark","categoryId":7,"status":"pending"}';

/** How many different requests a load goes through before it begins again. */
const DIFFERENT = 90_000;
/** A prime: steps of this size visit every id before they come back to one, in an order that looks random. */
const STRIDE = 7_368_787;

/** Pages from all over a catalogue, none of them twice where it is large enough. */
export function scatteredPages(size: number): RequestLine[] {
  return pages(size, STRIDE);
}

/** A catalogue page by page, as a client reads it that follows the links, over and over again. */
export function consecutivePages(size: number): RequestLine[] {
  return pages(size, PAGE_SPAN);
}

/**
 * The service keeps an answer that is asked for again, known by its query string, until the file next changes, which
 * the counters alone bring about twice a second. So that none of these is ever answered that way, where a small catalogue
 * comes round to the same page its query string is still another one: `turn` is a parameter that the service ignores.
 */
function pages(size: number, step: number): RequestLine[] {
  const afters = size - PAGE_SPAN;
  return differently((i) => `${list}&after=${(i * step) % afters}&turn=${i}`);
}

/** Single pets from all over a catalogue. */
export function pets(size: number): RequestLine[] {
  return differently((i) => `GET /v1/pets/${((i * STRIDE) % size) + 1}`);
}

/** What a busy shop sees: of ten requests four for the first page, two for others, three for one pet, one creation. */
export function mixture(size: number): RequestLine[] {
  const [others, singles] = [scatteredPages(size), pets(size)];
  return differently((i) => {
    const kind = i % 10;
    if (kind < 4) return list;
    if (kind < 9) return (kind < 6 ? others : singles)[i] ?? list;
    return creation;
  });
}

function differently(request: (i: number) => RequestLine): RequestLine[] {
  return Array.from({ length: DIFFERENT }, (_, i) => request(i));
}
