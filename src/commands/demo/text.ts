import { type AdminAddress, hostInUrl } from "../../wiring/config.ts";
import type { Demo } from "../../wiring/demo.ts";
import { count } from "../count.ts";
import { columnsOf } from "../table.ts";

/** A demo, its seed, and where it is called; `adminPort` is the actual port of the console. */
export type RunningDemo = Demo & {
  seed: number;
  baseUrl: string;
  admin: AdminAddress | undefined;
  adminPort: number | undefined;
};

/** What a person needs to use a demo. */
export function demoText(demo: RunningDemo): string {
  const { baseUrl, keys, operatorToken, seed } = demo;
  const { documentation, console } = addressesOf(demo);
  const addresses = [
    ["API", baseUrl],
    ["Documentation", documentation],
    ["Console", console ?? "off"],
    ...(console === undefined ? [] : [["  token", operatorToken]]),
  ];
  const limits = keys.map(({ key, secret }) => {
    const { perMinute, perDay } = key.limits;
    return [key.plan, secret, `${perMinute.toLocaleString("en")} a minute, ${perDay.toLocaleString("en")} a day`];
  });
  const secret = keys.at(-1)?.secret;
  return `
  A pet store for staging, in memory: everything is gone when it ends.

${indented(columnsOf(addresses))}

  It has ${contentsOf(demo)}: seed ${seed} gives the same ones.

  Keys, which are the same at each start:

${indented(columnsOf(limits))}

  Try it:

    curl -H "Authorization: Bearer ${secret}" "${baseUrl}/pets?limit=3"

  See what a failure looks like:

    curl -i -H "Authorization: Bearer ${secret}" -H "Petstore-Simulate: service_unavailable" ${baseUrl}/pets

  Ctrl-C ends it.
`;
}

/** The same for a program. */
export function demoJson(demo: RunningDemo): object {
  const { baseUrl, keys, operatorToken, pets, categories, orders, seed } = demo;
  return {
    url: baseUrl,
    ...addressesOf(demo),
    keys: Object.fromEntries(keys.map(({ key, secret }) => [key.plan, secret])),
    operatorToken,
    ...{ pets, categories, orders, seed },
  };
}

function addressesOf({ baseUrl, admin, adminPort }: RunningDemo): { documentation: string; console?: string } {
  const documentation = new URL("../docs", `${baseUrl}/`).href;
  if (admin === undefined || adminPort === undefined) return { documentation };
  return { documentation, console: `http://${hostInUrl(admin.host)}:${adminPort}/console` };
}

function contentsOf({ pets, categories, orders }: RunningDemo): string {
  return `${count(pets, ["pet", "pets"])}, ${count(categories, ["category", "categories"])} and ${count(orders, ["order", "orders"])}`;
}

function indented(text: string): string {
  return text.replace(/^/gm, "    ");
}
