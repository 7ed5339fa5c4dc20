const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/;

/**
 * Splits a URL with several hosts, such as `postgres://user@a:5432,b:5432/petstore` (PostgreSQL, 34.1.1.3), into one URL
 * per host. Returns any other URL unchanged.
 */
export function urlsOf(url: string): string[] {
  const [, before = "", hosts = "", rest = ""] = AUTHORITY.exec(url) ?? [];
  if (!hosts.includes(",")) return [url];
  return hosts.split(",").map((host) => before + host + rest);
}
