/** The state of one limit of a key. */
export interface RateLimitWindow {
  /** The requests that the window allows. */
  readonly limit: number;
  /** The requests that remain. */
  readonly remaining: number;
  /** When the window ends, by this machine's clock: up to a second late, never early. */
  readonly resetAt: Date;
}

/** The limit state of a key. Empty before the first response. */
export interface RateLimits {
  /** The limit per minute. */
  readonly minute?: RateLimitWindow;
  /** The limit per day. */
  readonly day?: RateLimitWindow;
}

/** The state of one window in a response. It ends `seconds`, rounded up, after the response was written. */
type Report = { name: string; limit: number; remaining: number; seconds: number };

/**
 * Returns the windows in the headers of a response at `now` (Unix ms): both from `RateLimit-Policy` and `RateLimit`, which
 * do not depend on a clock; without these, the tighter one from `X-RateLimit-*`. The parameters `r` and `t` of the draft of
 * `RateLimit` may be called `a` and `w` in a later one.
 */
export function reportsIn(headers: Headers, now: number): Report[] {
  const limits = fieldsIn(headers.get("RateLimit-Policy"), "q");
  const seconds = fieldsIn(headers.get("RateLimit"), "[tw]");
  const reports = [...fieldsIn(headers.get("RateLimit"), "[ra]")].map(([name, remaining]) => ({
    name,
    remaining,
    limit: limits.get(name) ?? remaining,
    seconds: seconds.get(name) ?? 0,
  }));
  if (reports.length > 0) return reports;
  const [limit = 0, remaining = 0, reset = 0] = ["Limit", "Remaining", "Reset"].map((name) =>
    Number(headers.get(`X-RateLimit-${name}`) ?? Number.NaN),
  );
  if (Number.isNaN(limit + remaining + reset)) return [];
  const served = Date.parse(headers.get("Date") ?? "") || now;
  return [{ name: "minute", limit, remaining, seconds: Math.max(0, Math.ceil(reset - served / 1000)) }];
}

/** Whether the limits in these headers are the address's, which has no limit per day. */
export function isOfAddress(headers: Headers): boolean {
  return headers.get("RateLimit-Policy")?.includes('"day"') === false;
}

/** Returns one parameter, whose name matches `parameter`, of each item in a list such as `"minute";r=59;t=60, "day";r=999;t=86400` (RFC 9651). */
function fieldsIn(list: string | null, parameter: string): Map<string, number> {
  const fields = new Map<string, number>();
  for (const item of list?.split(",") ?? []) {
    const name = /^\s*"([^"]+)"/.exec(item)?.[1];
    const value = new RegExp(`;\\s*${parameter}=(\\d+)`).exec(item)?.[1];
    if (name !== undefined && value !== undefined) fields.set(name, Number(value));
  }
  return fields;
}
