import type { Transitions } from "../transition.ts";
import type { PetStatus } from "./pet.ts";

/** The statuses that may follow each status of a pet. Source: docs/interface.md, Change a pet. */
export const petTransitions: Transitions<PetStatus> = {
  available: ["pending", "sold"],
  pending: ["available", "sold"],
  sold: ["available"],
};
