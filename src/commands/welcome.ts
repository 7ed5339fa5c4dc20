import { existsSync } from "node:fs";
import type { Issued } from "../domain/keys/administration.ts";
import type { IssuedLink } from "../domain/operators/administration.ts";
import { LINK_LENGTH } from "../domain/operators/operator.ts";
import { type AdminAddress, hostInUrl } from "../wiring/config.ts";
import { COMMAND, isUnit } from "./launcher.ts";
import { formatTimeOfDay } from "./time.ts";

/** Where a service is called; `adminPort` is the actual port of the console. */
type Addresses = { baseUrl: string; admin: AdminAddress | undefined; adminPort: number | undefined };

/** A file of the checkout. Neither the executable nor the image has it. */
const SAMPLE = "samples/pets.ndjson";

/** The message of the first start: the first key, the link to the console, and what to do next. */
export function welcome(key: Issued, link: IssuedLink | undefined, { baseUrl, admin, adminPort }: Addresses): string {
  const console =
    admin === undefined || adminPort === undefined ? "off" : `http://${hostInUrl(admin.host)}:${adminPort}/console`;
  return `
  This is a new store. Its first key (${key.key.plan} plan) is shown only once:

    ${key.secret}

  Try it:

    curl -H "Authorization: Bearer ${key.secret}" ${baseUrl}/pets
${link === undefined ? "" : invitation(link, console)}
  More keys:  ${COMMAND} keys create --name "My app" --plan free
${existsSync(SAMPLE) ? `  Some pets:  ${COMMAND} pets import ${SAMPLE}\n` : ""}  Operators:  ${COMMAND} operators create --name "My name" --role admin
  Console:    ${console}
  Docs:       ${baseUrl.slice(0, -"/v1".length)}/docs
${isUnit(process.env, process.pid) ? unitHint(baseUrl) : ""}`;
}

/** A command needs the user and the settings of the unit, which the shell of an operator has not. */
function unitHint(baseUrl: string): string {
  return `
  Commands run as the user of the unit, with its settings. The alias for that:

    ${new URL("/docs/operations#with-systemd", baseUrl)}
`;
}

/** The secret is in the fragment, which browsers do not send: neither a log nor another page sees it. */
function invitation({ secret, expiresAt }: IssuedLink, console: string): string {
  return `
  Open the console as its first admin. This link works once, for ${LINK_LENGTH / 60_000} minutes, until ${formatTimeOfDay(expiresAt)}:

    ${console}#/first/${secret}
`;
}
