/** The program that uses the client. */
export interface AppInfo {
  /** The name of the program. */
  readonly name: string;
  /** The version of the program. */
  readonly version: string;
  /** Where to read about the program. */
  readonly url?: string | undefined;
}

/** The version of this package. A test compares it with package.json. */
export const VERSION = "1.0.0";

/**
 * Returns the `User-Agent` header; undefined in browsers, which send their own and ask the service before they send another.
 * @throws TypeError when the header would be invalid
 */
export function userAgentOf(app: AppInfo | undefined): string | undefined {
  if (typeof navigator !== "undefined" && navigator.userAgent?.startsWith("Mozilla/")) return undefined;
  const client = `petstore-client/${VERSION}`;
  if (app === undefined) return client;
  const userAgent = `${client} ${app.name}/${app.version}${app.url === undefined ? "" : ` (${app.url})`}`;
  if (!/^[ -~]+$/.test(userAgent)) throw new TypeError("appInfo must consist of printable ASCII characters.");
  return userAgent;
}
