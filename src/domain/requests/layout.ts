/**
 * The layout of the request history, in little-endian bytes. A segment is a sequence of batches. A batch is a header,
 * requests, and the names that its requests refer to by number (operations, methods and error codes), as a JSON array. It
 * needs nothing outside of it: a version that knows other operations reads it too.
 */

/** The first word of a batch: "REQ1". */
export const MAGIC = 0x31514552;

/** Where the fields of a batch's header begin. `crc` covers what follows it. */
export const batchFields = { magic: 0, length: 4, crc: 8, count: 12, names: 16, oldest: 24, newest: 32 } as const;
export const BATCH_HEADER = 40;
/** What `crc` covers begins here. */
export const COVERED = batchFields.count;

/**
 * Where the fields of a request begin, at a multiple of eight. Its texts follow: request id, key id, path, and what it
 * simulated. `BatchWriter` writes the fields as words.
 */
export const requestFields = {
  at: 0,
  /** In µs. */
  duration: 8,
  length: 12,
  status: 14,
  operation: 16,
  method: 18,
  /** The number of the code's name plus one; 0 without an error. */
  error: 20,
  requestIdLength: 22,
  keyIdLength: 23,
  pathLength: 24,
  simulatedLength: 25,
  minuteLimit: 28,
  minuteRemaining: 32,
  dayLimit: 36,
  dayRemaining: 40,
} as const;
export const REQUEST_HEADER = 44;

/** The most characters of a text. */
export const MAX_TEXT = 255;
