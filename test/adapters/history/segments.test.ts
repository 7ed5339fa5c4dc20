import { MemoryRequestSegments } from "../../../src/adapters/history/segments.ts";
import { requestSegmentsConformance } from "../../conformance/request-segments.ts";

requestSegmentsConformance("memory", () => {
  const store = new MemoryRequestSegments();
  return { store, other: store, refresh: () => {}, close: () => {} };
});
