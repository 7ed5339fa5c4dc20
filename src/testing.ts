/** `petstore/testing`: the real service inside a test run. See docs/testing.md. */

// Loaded with this module, so that starts need not wait for what they load on demand.
import "./adapters/listen/bun.ts";
import "./adapters/listen/node.ts";
import "./wiring/sqlite-stores.ts";

export type {
  ClockAdvance,
  Instant,
  IssuedKey,
  KeyOptions,
  Pet,
  PetstoreOptions,
  PlannedFailures,
  ReceivedRequest,
  SimulationText,
  TestClock,
  TestPetstore,
} from "./testing/petstore.ts";
export { startPetstore } from "./testing/start.ts";
