declare const process: { env?: Record<string, string | undefined> } | undefined;
declare const Deno:
  | { permissions: { querySync(permission: { name: "env"; variable: string }): { state: string } } }
  | undefined;

/** Returns an environment variable; undefined if it is empty, in browsers, and if Deno would ask for permission. */
export function environmentVariable(name: string): string | undefined {
  if (typeof process === "undefined") return undefined;
  if (typeof Deno !== "undefined" && Deno.permissions.querySync({ name: "env", variable: name }).state !== "granted") {
    return undefined;
  }
  return process.env?.[name] || undefined;
}
