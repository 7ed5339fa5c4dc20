/** Statuses, such as 404, and classes of statuses, such as 4xx. */
export type StatusFilter = readonly string[];

/**
 * Which requests: those that match every given field. `status` and `error` match if one of their values does; `from`
 * (inclusive) and `to` (exclusive) are Unix ms.
 */
export type RequestFilter = {
  requestId?: string | undefined;
  keyId?: string | undefined;
  operation?: readonly string[] | undefined;
  status?: StatusFilter | undefined;
  error?: readonly string[] | undefined;
  from?: number | undefined;
  to?: number | undefined;
};

/** The form of one value of a `StatusFilter`. */
export const STATUS_FORM = /^[1-5](xx|\d\d)$/;

/** The form of every request id of the service: see `X-Request-Id` in docs/interface.md. */
export const REQUEST_ID_FORM = /^[A-Za-z0-9._-]{1,128}$/;

/** Parses statuses and classes, separated by commas; undefined when one is neither. */
export function parseStatuses(text: string): StatusFilter | undefined {
  const statuses = text.split(",").map((status) => status.trim());
  return statuses.every((status) => STATUS_FORM.test(status)) ? statuses : undefined;
}

/** Whether a status is among these statuses and classes. */
export function isAmong(status: number, statuses: StatusFilter): boolean {
  return statuses.includes(String(status)) || statuses.includes(`${Math.floor(status / 100)}xx`);
}
