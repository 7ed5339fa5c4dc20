/** `petstore/testing`: the real service inside a test run. See docs/testing.md. */
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
