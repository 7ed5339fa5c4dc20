import type { Command } from "commander";
import { webhookSender } from "../adapters/webhooks/send.ts";
import { DEFAULT_GRACE } from "../domain/keys/secret.ts";
import { isSingleLine } from "../domain/text.ts";
import {
  type Delivery,
  deliveryJson,
  type Endpoint,
  endpointJson,
  type IssuedEndpoint,
  isDelivered,
  MAX_DESCRIPTION_LENGTH,
  type NewDelivery,
  outcomeText,
  WebhookAdministration,
  type WebhookType,
  webhookNotFound,
  webhookTypes,
} from "../domain/webhooks.ts";
import { columnsOf, tableOf, terminalWidth } from "./lists.ts";
import { anyOfOption, defineGroup, integer, type JsonOption, parseDuration, parser, textParser } from "./options.ts";
import { formatTime, print } from "./output.ts";
import { asRun } from "./program.ts";
import { type CommandStores, defineStoreCommand } from "./stores.ts";

const ID = ["<id>", "the endpoint's id, such as whe_4kTn…: `petstore webhooks list` shows it"] as const;
const EXAMPLE_ID = "whe_4kTn0aWq7JbYcX2z";

const TYPES = anyOfOption("--types <types>", "only these types, either of events or of alerts", webhookTypes);
const DESCRIPTION = [
  "--description <text>",
  "what the endpoint is for",
  textParser(
    (text) => isSingleLine(text, MAX_DESCRIPTION_LENGTH),
    `must be a line of at most ${MAX_DESCRIPTION_LENGTH} characters`,
  ),
] as const;
const parsePosition = (text: string) => Number(integer(0n, BigInt(Number.MAX_SAFE_INTEGER))(text));
const parseUrl = parser((text) => (URL.canParse(text) ? text : undefined), "must be an absolute URL");

function administrationOf({ webhooks, events, alerts, config, author }: CommandStores): WebhookAdministration {
  const sender = webhookSender({ hosts: config.webhookHosts });
  return new WebhookAdministration({ webhooks: webhooks(), events, alerts: alerts(), webhookSender: sender }, author);
}

/** Prints a new secret, which is shown only once. */
function printIssued({ endpoint, secret }: IssuedEndpoint, isJson: boolean | undefined, remark: string): void {
  print(
    isJson,
    { webhook: endpointJson(endpoint), secret },
    () => `
  ${secret}

  This is the secret of endpoint ${endpoint.id}, ${endpoint.url}.
  The secret is shown only once: store it where the receiver reads it.
  ${remark}
`,
  );
}

type Fields = { types?: WebhookType[]; description?: string };

const create = defineStoreCommand({
  name: "create",
  description: "Create an endpoint and print its secret. It is shown only once.",
  arguments: [["<url>", "the URL that gets the events", parseUrl]],
  options: [TYPES, DESCRIPTION, ["--after <id>", "begin after this event; 0 is before the oldest", parsePosition]],
  examples: [
    "petstore webhooks create https://shop.example.com/petstore",
    "petstore webhooks create https://shop.example.com/petstore \\\n    --types pet.created,pet.updated",
    "petstore webhooks create https://oncall.example.com/petstore \\\n    --types alert.backup_failed,alert.disk_full",
  ],
  action: async (stores, url: string, { json, ...fields }: JsonOption & Fields & { after?: number }) => {
    const issued = await administrationOf(stores).create({ url, ...fields }, Date.now());
    printIssued(issued, json, `It begins after event ${issued.endpoint.position}.`);
  },
});

const update = defineStoreCommand({
  name: "update",
  description: "Change the URL, the types or the description of an endpoint. Its position stays.",
  arguments: [ID],
  options: [
    ["--url <url>", "the URL that gets the events", parseUrl],
    TYPES,
    ["--all-types", "events of all types"],
    DESCRIPTION,
  ],
  examples: [`petstore webhooks update ${EXAMPLE_ID} --types order.placed`],
  action: async (stores, id: string, options: JsonOption & Fields & { url?: string; allTypes?: boolean }) => {
    const { json, url, description, allTypes = false } = options;
    const types = allTypes ? [] : options.types;
    const endpoint = await administrationOf(stores).update(id, { url, types, description }, Date.now());
    print(json, endpointJson(endpoint), () => detailsOf(endpoint));
  },
});

const rotate = defineStoreCommand({
  name: "rotate",
  description: "Give an endpoint a new secret and print it. The old one signs, too, for a grace period.",
  arguments: [ID],
  options: [["--grace <duration>", "grace period of the old secret, such as 24h; 0s ends it now", parseDuration]],
  about: "The default grace period is 24h.",
  examples: [`petstore webhooks rotate ${EXAMPLE_ID} --grace 1h`],
  action: async (stores, id: string, { grace = DEFAULT_GRACE, json }: JsonOption & { grace?: number }) => {
    const now = Date.now();
    const issued = await administrationOf(stores).rotate(id, grace, now);
    const remark = `The old secret ${grace === 0 ? "signs no longer" : `signs, too, until ${formatTime(now + grace)}`}.`;
    printIssued(issued, json, remark);
  },
});

/** The commands that switch an endpoint on and off. */
const switches = (
  [
    ["enable", "Enable an endpoint. It goes on where it stopped, and tries at once.", "is enabled"],
    ["disable", "Disable an endpoint. Its position stays.", "is disabled"],
  ] as const
).map(([name, description, outcome]) =>
  defineStoreCommand({
    name,
    description,
    arguments: [ID],
    examples: [`petstore webhooks ${name} ${EXAMPLE_ID}`],
    action: async (stores, id: string, { json }: JsonOption) => {
      const endpoint = await administrationOf(stores)[name](id, Date.now());
      print(json, endpointJson(endpoint), () => `Endpoint ${id}, ${endpoint.url}, ${outcome}.`);
    },
  }),
);

const remove = defineStoreCommand({
  name: "delete",
  description: "Remove an endpoint with its deliveries.",
  arguments: [ID],
  examples: [`petstore webhooks delete ${EXAMPLE_ID}`],
  action: async (stores, id: string, { json }: JsonOption) => {
    await administrationOf(stores).delete(id, Date.now());
    print(json, { removed: id }, () => `Removed endpoint ${id}.`);
  },
});

/** Prints what became of a delivery. */
function printDelivery(delivery: NewDelivery, isJson: boolean | undefined): void {
  const verb = isDelivered(delivery) ? "accepted" : "did not accept";
  print(
    isJson,
    deliveryJson(delivery),
    () => `The receiver ${verb} the ${delivery.type}: ${outcomeText(delivery)} after ${delivery.milliseconds} ms.`,
  );
}

const sendTest = defineStoreCommand({
  name: "test",
  description: "Send a test event to an endpoint, also to a disabled one.",
  arguments: [ID],
  examples: [`petstore webhooks test ${EXAMPLE_ID}`],
  action: async (stores, id: string, { json }: JsonOption) =>
    printDelivery(await administrationOf(stores).test(id, Date.now()), json),
});

type RedeliverOptions = JsonOption & { event?: number; after?: number };

const redeliver = defineStoreCommand({
  name: "redeliver",
  description: "Send one event again at once, or have all after one delivered again.",
  arguments: [ID],
  options: [
    ["--event <id>", "only this event", parsePosition],
    ["--after <id>", "all events after this one; 0 is before the oldest", parsePosition],
  ],
  examples: [
    `petstore webhooks redeliver ${EXAMPLE_ID} --event 42`,
    `petstore webhooks redeliver ${EXAMPLE_ID} --after 0`,
  ],
  action: async (stores, id: string, { event, after, json }: RedeliverOptions, command: Command) => {
    const administration = administrationOf(stores);
    if (event !== undefined && after === undefined)
      return printDelivery(await administration.redeliver(id, event, Date.now()), json);
    if (after === undefined || event !== undefined)
      return command.error("error: either --event <id> or --after <id> is required");
    const endpoint = await administration.redeliverFrom(id, after, Date.now());
    print(json, endpointJson(endpoint), () => `The service delivers all events after ${after} to endpoint ${id}.`);
  },
});

const LIST_HEAD = ["ID", "URL", "TYPES", "STATE", "POSITION"];

const list = defineStoreCommand({
  name: "list",
  description: "List all endpoints, oldest first.",
  examples: ["petstore webhooks list", "petstore webhooks list --json"],
  action: async ({ webhooks }, { json }: JsonOption) => {
    const found = await webhooks().list();
    const rows = found.map((endpoint) => {
      const { id, url, state, position } = endpointJson(endpoint);
      return [id, url, typesText(endpoint), state, String(position)];
    });
    print(json, found.map(endpointJson), () =>
      rows.length === 0
        ? asRun("There are no endpoints. `petstore webhooks create https://shop.example.com/petstore` creates one.")
        : tableOf([LIST_HEAD, ...rows], LIST_HEAD.indexOf("URL"), terminalWidth()),
    );
  },
});

function typesText({ types }: Endpoint): string {
  return types.length === 0 ? "all" : types.join(", ");
}

function detailsOf(endpoint: Endpoint): string {
  const { id, url, description, position, failures, nextAttemptAt, disabled, secrets, createdAt } = endpoint;
  const until = secrets[1]?.expiresAt;
  const given = (name: string, value: string | undefined): string[][] => (value === undefined ? [] : [[name, value]]);
  return columnsOf([
    ["id", id],
    ["URL", url],
    ["types", typesText(endpoint)],
    ...given("description", description === "" ? undefined : description),
    ["state", endpointJson(endpoint).state],
    ...given("disabled", disabled && `${formatTime(disabled.at)}: ${disabled.reason}`),
    ...given(
      "next attempt",
      nextAttemptAt === undefined ? undefined : `${formatTime(nextAttemptAt)}, after ${failures} failed`,
    ),
    ["position", String(position)],
    ...given("old secret", until === undefined ? undefined : `signs until ${formatTime(until)}`),
    ["created", formatTime(createdAt)],
  ]);
}

const show = defineStoreCommand({
  name: "show",
  description: "Show an endpoint.",
  arguments: [ID],
  examples: [`petstore webhooks show ${EXAMPLE_ID}`],
  action: async ({ webhooks }, id: string, { json }: JsonOption) => {
    const endpoint = await webhooks().get(id);
    if (endpoint === undefined) throw webhookNotFound(id);
    print(json, endpointJson(endpoint), () => detailsOf(endpoint));
  },
});

const DELIVERIES_HEAD = ["TIME", "EVENT", "TYPE", "ATTEMPT", "OUTCOME", "MS"];

const deliveries = defineStoreCommand({
  name: "deliveries",
  description: "List the last deliveries of an endpoint, newest first.",
  arguments: [ID],
  examples: [`petstore webhooks deliveries ${EXAMPLE_ID}`],
  action: async ({ webhooks }, id: string, { json }: JsonOption) => {
    const store = webhooks();
    if ((await store.get(id)) === undefined) throw webhookNotFound(id);
    const found = await store.deliveries(id);
    print(json, found.map(deliveryJson), () =>
      found.length === 0
        ? "Nothing was delivered yet."
        : tableOf([DELIVERIES_HEAD, ...found.map(rowOf)], DELIVERIES_HEAD.indexOf("OUTCOME"), terminalWidth()),
    );
  },
});

function rowOf(delivery: Delivery): string[] {
  const { at, eventId, type, attempt, milliseconds } = delivery;
  const event = eventId === undefined ? "test" : String(eventId);
  return [formatTime(at), event, type, String(attempt), outcomeText(delivery), String(milliseconds)];
}

export const webhooksCommand = defineGroup(
  "webhooks",
  "Manage the endpoints that get events. A running service applies each change within a second.",
  [list, show, create, update, rotate, ...switches, remove, sendTest, redeliver, deliveries],
);
