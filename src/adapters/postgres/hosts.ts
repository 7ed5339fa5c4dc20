const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/;

/**
 * One connection URL for each host that a URL names: `postgres://user@a:5432,b:5432/petstore` names two, as libpq has
 * it (PostgreSQL, 34.1.1.3). A URL with one host, or of another form, gives itself.
 */
export function urlsOf(url: string): string[] {
  const [, before = "", hosts = "", rest = ""] = AUTHORITY.exec(url) ?? [];
  if (!hosts.includes(",")) return [url];
  return hosts.split(",").map((host) => before + host + rest);
}
