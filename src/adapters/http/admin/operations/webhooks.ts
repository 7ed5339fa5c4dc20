import { z } from "zod";
import { invalidField } from "../../../../domain/errors.ts";
import { DEFAULT_GRACE } from "../../../../domain/keys/secret.ts";
import { reference } from "../../../../domain/schemas.ts";
import { isSingleLine } from "../../../../domain/text.ts";
import {
  deliveryJson,
  endpointJson,
  KEPT_DELIVERIES,
  MAX_DESCRIPTION_LENGTH,
  MAX_ENDPOINTS,
  MAX_URL_LENGTH,
  TEST_TYPE,
  WebhookAdministration,
  webhookNotFound,
  webhookStates,
  webhookTypes,
} from "../../../../domain/webhooks.ts";
import { authorOf } from "../../operation.ts";
import { count, integer, JSON_OBJECT, required, text, timestamp } from "../../parameters.ts";
import { json, noContent, PATCH_TYPES } from "../../request.ts";
import { countOrNull, id, pathId } from "../fields.ts";
import { type AdministrationOperation, type OperatorContext, type OperatorServices, operation } from "./operation.ts";

const exampleId = "whe_4kTn0aWq7JbYcX2z";
const WebhookPath = z.object({ webhookId: pathId(exampleId, "webhook_not_found") });

const exampleUrl = "https://shop.example.com/petstore";
const exampleTime = "2026-12-02T10:00:00.250Z";

/** Linters fail at examples with null: these have a value in each field. */
const exampleWebhook = {
  id: exampleId,
  url: exampleUrl,
  types: ["pet.created", "pet.updated"],
  description: "The shop's search",
  state: "disabled",
  disabledAt: exampleTime,
  disabledBy: "service",
  disabledReason: "10 attempts failed, the last with status 500.",
  position: 41,
  failures: 10,
  nextAttemptAt: exampleTime,
  oldSecretExpiresAt: exampleTime,
  createdAt: exampleTime,
} as const;
const exampleDelivery = {
  id: 7,
  eventId: 42,
  type: "pet.updated",
  at: exampleTime,
  attempt: 1,
  milliseconds: 10_000,
  status: 500,
  error: "no answer within 10 s",
};

const WebhookType = z.enum(webhookTypes, { error: `must be one of ${webhookTypes.join(", ")}` }).meta({
  id: "WebhookType",
  description: "The type of an event of the feed; or of an alert, which begins with `alert.`.",
});
const TYPES = "The types that it gets, either of events or of alerts; all events if the list is empty.";

const types = z.array(reference(WebhookType)).max(webhookTypes.length).meta({ description: TYPES });
const position = count.meta({
  description:
    "The id of the event up to which all were delivered; of alerts a number of their own, which grows when one is raised or ends.",
});

const DisabledBy = z.enum(["operator", "service"]).meta({
  id: "DisabledBy",
  description: "`service`: after its last attempt, or because the receiver answered 410.",
});

export const Webhook = z
  .strictObject({
    id,
    url: text(MAX_URL_LENGTH),
    types,
    description: text(MAX_DESCRIPTION_LENGTH),
    state: z
      .enum(webhookStates)
      .meta({ description: "`failing`: the last attempt failed, and another one follows. `disabled`: none follows." }),
    disabledAt: timestamp.nullable(),
    disabledBy: reference(DisabledBy).nullable(),
    disabledReason: z.string().nullable(),
    position,
    failures: count.meta({ description: "The failed attempts at the next event." }),
    nextAttemptAt: timestamp.nullable(),
    oldSecretExpiresAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: "Webhook", description: "An endpoint that gets events or alerts.", examples: [exampleWebhook] });

export const Webhooks = z.strictObject({ webhooks: z.array(Webhook).max(MAX_ENDPOINTS) }).meta({
  id: "Webhooks",
  description: "All endpoints, oldest first.",
  examples: [{ webhooks: [exampleWebhook] }],
});

export const WebhookDelivery = z
  .strictObject({
    id: countOrNull.meta({ description: "null in the answer to an attempt that was asked for." }),
    eventId: countOrNull.meta({ description: "The position of the event or the alert; null for a test event." }),
    type: z.string().meta({ description: `The type of the event or the alert, or \`${TEST_TYPE}\`.` }),
    at: timestamp,
    attempt: count.meta({ description: "How often the event was tried in a row." }),
    milliseconds: count.meta({ description: "How long the answer took." }),
    status: countOrNull.meta({ description: "The status of the answer; null without one." }),
    error: z.string().nullable().meta({ description: "Why there was no answer." }),
  })
  .meta({ id: "WebhookDelivery", description: "An attempt to deliver an event.", examples: [exampleDelivery] });

export const WebhookDeliveries = z.strictObject({ deliveries: z.array(WebhookDelivery).max(KEPT_DELIVERIES) }).meta({
  id: "WebhookDeliveries",
  description: "The last deliveries of an endpoint, newest first.",
  examples: [{ deliveries: [exampleDelivery] }],
});

export const IssuedWebhook = z
  .strictObject({
    webhook: Webhook,
    secret: text(MAX_DESCRIPTION_LENGTH).meta({ description: "Signs the deliveries. Only this response shows it." }),
  })
  .meta({
    id: "IssuedWebhook",
    description: "An endpoint with its secret.",
    examples: [{ webhook: exampleWebhook, secret: "whsec_…" }],
  });

const url = z
  .string({ error: required("must be a string") })
  .meta({ description: "Begins with `https://`.", maxLength: MAX_URL_LENGTH, examples: [exampleUrl] });
const description = z
  .string({ error: "must be a string" })
  .refine((given) => given === "" || isSingleLine(given, MAX_DESCRIPTION_LENGTH), {
    error: `must be a line of at most ${MAX_DESCRIPTION_LENGTH} characters`,
  })
  .meta({ maxLength: MAX_DESCRIPTION_LENGTH });
const chosenTypes = z
  .array(WebhookType, { error: "must be an array" })
  .max(webhookTypes.length, { error: "must name each type once" })
  .meta({ description: TYPES });
const eventId = integer(0, Number.MAX_SAFE_INTEGER);

const NewWebhook = z
  .object(
    {
      url,
      types: chosenTypes.optional(),
      description: description.optional(),
      after: eventId.optional().meta({
        description: "The id of the event after which it begins; 0 is before the oldest. Without it the last one.",
      }),
    },
    JSON_OBJECT,
  )
  .meta({ id: "NewWebhook", description: "An endpoint to create.", examples: [{ url: exampleUrl }] });

const WebhookChange = z
  .object({ url: url.optional(), types: chosenTypes.optional(), description: description.optional() }, JSON_OBJECT)
  .meta({ id: "WebhookChange", description: "What to change.", examples: [{ types: ["order.placed"] }] });

const graceSeconds = integer(0, 30 * 86_400).default(DEFAULT_GRACE / 1_000);
const WebhookRotation = z.object({ graceSeconds }, JSON_OBJECT).meta({
  id: "WebhookRotation",
  description: "For how long the old secret signs, too.",
  examples: [{ graceSeconds: 3_600 }],
});

const WebhookRedelivery = z
  .object(
    {
      eventId: integer(1, Number.MAX_SAFE_INTEGER).optional(),
      after: eventId.optional().meta({ description: "0 is before the oldest event that is kept." }),
    },
    JSON_OBJECT,
  )
  .meta({
    id: "WebhookRedelivery",
    description: "Either one event, or the id of the event after which all follow.",
    examples: [{ eventId: 42 }, { after: 0 }],
  });

const administration = (services: OperatorServices, context: OperatorContext) =>
  new WebhookAdministration(services, authorOf(context));

const webhook = { description: "The endpoint.", schema: Webhook };

const listWebhooks = operation({
  id: "listWebhooks",
  route: "GET /webhooks",
  role: "viewer",
  summary: "List webhook endpoints",
  description: "Lists all endpoints, oldest first.",
  answers: { 200: { description: "All endpoints.", schema: Webhooks } },
  handle: async ({ webhooks }, { context }) =>
    json(context, 200, { webhooks: (await webhooks.list()).map(endpointJson) }),
});

const createWebhook = operation({
  id: "createWebhook",
  route: "POST /webhooks",
  role: "admin",
  summary: "Create a webhook endpoint",
  description: "Creates an endpoint. Only this response shows its secret.",
  request: { body: NewWebhook },
  answers: { 201: { description: "The endpoint and its secret.", schema: IssuedWebhook } },
  refusals: ["invalid_state"],
  handle: async (services, { body, context }) => {
    const { endpoint, secret } = await administration(services, context).create(body, services.clock());
    return json(context, 201, { webhook: endpointJson(endpoint), secret });
  },
});

const getWebhook = operation({
  id: "getWebhook",
  route: "GET /webhooks/{webhookId}",
  role: "viewer",
  summary: "Get a webhook endpoint",
  description: "Returns an endpoint.",
  request: { params: WebhookPath },
  answers: { 200: webhook },
  refusals: ["webhook_not_found"],
  handle: async ({ webhooks }, { params, context }) => {
    const endpoint = await webhooks.get(params.webhookId);
    if (endpoint === undefined) throw webhookNotFound(params.webhookId);
    return json(context, 200, endpointJson(endpoint));
  },
});

const updateWebhook = operation({
  id: "updateWebhook",
  route: "PATCH /webhooks/{webhookId}",
  role: "admin",
  summary: "Change a webhook endpoint",
  description: "Changes the URL, the types and the description; what is left out stays. Its position stays, too.",
  request: { params: WebhookPath, body: WebhookChange, types: PATCH_TYPES },
  answers: { 200: webhook },
  refusals: ["webhook_not_found"],
  handle: async (services, { params, body, context }) => {
    const endpoint = await administration(services, context).update(params.webhookId, body, services.clock());
    return json(context, 200, endpointJson(endpoint));
  },
});

const deleteWebhook = operation({
  id: "deleteWebhook",
  route: "DELETE /webhooks/{webhookId}",
  role: "admin",
  summary: "Remove a webhook endpoint",
  description: "Removes an endpoint with its deliveries.",
  request: { params: WebhookPath },
  answers: { 204: { description: "Removed." } },
  refusals: ["webhook_not_found"],
  handle: async (services, { params, context }) => {
    await administration(services, context).delete(params.webhookId, services.clock());
    return noContent(context);
  },
});

const rotateWebhook = operation({
  id: "rotateWebhook",
  route: "POST /webhooks/{webhookId}/rotate",
  role: "admin",
  summary: "Rotate the secret of a webhook endpoint",
  description:
    "Gives an endpoint a new secret, which only this response shows. Until the grace period ends, after a day by default, deliveries have the signatures of both.",
  request: { params: WebhookPath, body: WebhookRotation.default({ graceSeconds: DEFAULT_GRACE / 1_000 }) },
  answers: { 200: { description: "The endpoint and its new secret.", schema: IssuedWebhook } },
  refusals: ["webhook_not_found"],
  handle: async (services, { params, body, context }) => {
    const webhooks = administration(services, context);
    const { endpoint, secret } = await webhooks.rotate(params.webhookId, body.graceSeconds * 1_000, services.clock());
    return json(context, 200, { webhook: endpointJson(endpoint), secret });
  },
});

/** The operations that switch an endpoint on and off. */
const switches = (
  [
    ["enable", "Enable a webhook endpoint", "Goes on after the last event that was delivered, and tries it at once."],
    ["disable", "Disable a webhook endpoint", "Delivers nothing until it is enabled. Its position stays."],
  ] as const
).map(([verb, summary, description]) =>
  operation({
    id: `${verb}Webhook`,
    route: `POST /webhooks/{webhookId}/${verb}`,
    role: "admin",
    summary,
    description,
    request: { params: WebhookPath },
    answers: { 200: webhook },
    refusals: ["webhook_not_found"],
    handle: async (services, { params, context }) => {
      const endpoint = await administration(services, context)[verb](params.webhookId, services.clock());
      return json(context, 200, endpointJson(endpoint));
    },
  }),
);

const testWebhook = operation({
  id: "testWebhook",
  route: "POST /webhooks/{webhookId}/test",
  role: "admin",
  summary: "Send a test event",
  description: `Sends an event of the type \`${TEST_TYPE}\` at once, also while the endpoint is disabled. Returns what became of it.`,
  request: { params: WebhookPath },
  answers: { 200: { description: "The attempt.", schema: WebhookDelivery } },
  refusals: ["webhook_not_found"],
  handle: async (services, { params, context }) =>
    json(context, 200, deliveryJson(await administration(services, context).test(params.webhookId, services.clock()))),
});

const redeliverWebhook = operation({
  id: "redeliverWebhook",
  route: "POST /webhooks/{webhookId}/redeliver",
  role: "admin",
  summary: "Redeliver events",
  description:
    "With `eventId` sends that event at once, and returns what became of it. With `after` delivers all events after that one, again and in order, enables the endpoint, and returns null.",
  request: { params: WebhookPath, body: WebhookRedelivery },
  answers: {
    200: {
      description: "The attempt.",
      schema: WebhookDelivery.nullable().meta({
        id: "WebhookRedelivered",
        description: "The attempt at one event; null if all after one follow.",
        examples: [exampleDelivery],
      }),
    },
  },
  refusals: ["webhook_not_found", "event_not_found"],
  handle: async (services, { params, body, context }) => {
    const webhooks = administration(services, context);
    const { eventId, after } = body;
    if (eventId !== undefined && after === undefined) {
      const delivery = await webhooks.redeliver(params.webhookId, eventId, services.clock());
      return json(context, 200, deliveryJson(delivery));
    }
    if (after === undefined || eventId !== undefined) throw invalidField("eventId", "or after is required, not both");
    await webhooks.redeliverFrom(params.webhookId, after, services.clock());
    return json(context, 200, null);
  },
});

const listWebhookDeliveries = operation({
  id: "listWebhookDeliveries",
  route: "GET /webhooks/{webhookId}/deliveries",
  role: "viewer",
  summary: "List the deliveries of a webhook endpoint",
  description: `Lists the last ${KEPT_DELIVERIES} attempts, newest first.`,
  request: { params: WebhookPath },
  answers: { 200: { description: "The deliveries.", schema: WebhookDeliveries } },
  refusals: ["webhook_not_found"],
  handle: async ({ webhooks }, { params, context }) => {
    if ((await webhooks.get(params.webhookId)) === undefined) throw webhookNotFound(params.webhookId);
    return json(context, 200, { deliveries: (await webhooks.deliveries(params.webhookId)).map(deliveryJson) });
  },
});

export const webhookOperations: readonly AdministrationOperation[] = [
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhook,
  ...switches,
  testWebhook,
  redeliverWebhook,
  listWebhookDeliveries,
];
