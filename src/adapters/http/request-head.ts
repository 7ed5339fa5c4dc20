/** The first lines of a request. A `Request` has them, and some runtimes have them before they make one. */
export type RequestHead = {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
};
