import { setTimeout as pause } from "node:timers/promises";
import type { RequestSegments } from "../domain/requests/format.ts";

/** In ms. A segment takes a fifth of it, so a search leaves most of the time to other requests. */
const PAUSE = 4;

/** The segments of the request history for searches in the serving process, with a pause before each is read. */
export function pacedSegments(segments: RequestSegments): Pick<RequestSegments, "list" | "read"> {
  return {
    list: () => segments.list(),
    async read(id) {
      await pause(PAUSE);
      return segments.read(id);
    },
  };
}
