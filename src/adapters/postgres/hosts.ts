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

/** The hosts of a URL. New connections go to one of them until it fails. */
export class Hosts {
  readonly #urls: string[];
  #current = 0;

  constructor(url: string) {
    this.#urls = urlsOf(url);
  }

  get count(): number {
    return this.#urls.length;
  }

  /** The URL for new connections. */
  get current(): string {
    return this.#urls[this.#current] ?? "";
  }

  /** Directs new connections to the next host, unless they no longer go to the one that failed. */
  failOver(failed: string): void {
    if (this.current === failed) this.#current = (this.#current + 1) % this.#urls.length;
  }
}
