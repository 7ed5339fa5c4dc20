import type { Issued } from "../domain/keys/administration.ts";
import { type AdminAddress, hostInUrl } from "../wiring/config.ts";

/** Where a service is called; `adminPort` is the actual port of the console. */
type Addresses = { baseUrl: string; admin: AdminAddress | undefined; adminPort: number | undefined };

/** The message of the first start: the first key, and what to do next. */
export function welcome({ key, secret }: Issued, { baseUrl, admin, adminPort }: Addresses): string {
  const console =
    admin === undefined || adminPort === undefined ? "off" : `http://${hostInUrl(admin.host)}:${adminPort}/console`;
  return `
  This is a new store. Its first key (${key.plan} plan) is shown only once:

    ${secret}

  Try it:

    curl -H "Authorization: Bearer ${secret}" ${baseUrl}/pets

  More keys:  npx petstore keys create --name "My app" --plan free
  Some pets:  npx petstore pets import samples/pets.ndjson
  Operators:  npx petstore operators create --name "My name" --role admin
  Console:    ${console}
`;
}
