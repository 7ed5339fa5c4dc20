import { isBuiltin } from "node:module";
import { NEEDED_RUNTIME } from "./testing/needed-runtime.ts";
import type { PetstoreOptions, TestPetstore, WebhookReceiver } from "./testing/petstore.ts";

/** `@petstore/server/testing`: the real service inside a test run. See docs/testing.md. */
export type {
  ClockAdvance,
  EventFilter,
  EventType,
  Instant,
  IssuedKey,
  KeyOptions,
  Pet,
  PetstoreOptions,
  PlannedFailures,
  ReceivedRequest,
  ReceivedWebhook,
  SimulationText,
  StoreEvent,
  StoreEvents,
  TestClock,
  TestPetstore,
  WebhookOptions,
  WebhookReceiver,
} from "./testing/petstore.ts";

// Before everything else, which imports it. deploy/package.ts has the same for CommonJS.
if (!isBuiltin("node:sqlite")) throw new Error(NEEDED_RUNTIME);

const service = await import("./testing/service.ts");

/** Starts a pet store in this process, in memory, on a free port: src/testing/service.ts. */
export const startPetstore: (options?: PetstoreOptions) => Promise<TestPetstore> = service.startPetstore;

/** Starts a receiver of webhooks, for `webhook` of a pet store: src/testing/receiver.ts. */
export const startWebhookReceiver: () => Promise<WebhookReceiver> = service.startWebhookReceiver;
