import { z } from "zod";
import { count, timestamp } from "./fields.ts";

/** For the document. */
export const exampleSimulation = {
  answer: "rate_limit_exceeded",
  next: 3,
  every: null,
  percent: null,
  seed: null,
  startedAt: "2026-12-02T10:00:00.250Z",
  requests: 1,
};

/** A number that a simulation may lack. */
const some = (description: string) => count.nullable().meta({ type: ["integer", "null"], description });

/** What an operator has set for the requests of a key. */
export const KeySimulation = z
  .strictObject({
    answer: z.string().meta({ description: "A value of the header `Petstore-Simulate`." }),
    next: some("The answer is that of so many requests, from the first on."),
    every: some("The answer is that of one in so many requests."),
    percent: some("The answer is that of this share of the requests."),
    seed: some("Selects the requests of the share."),
    startedAt: timestamp,
    requests: count.meta({ description: "The requests of the key since then." }),
  })
  .meta({
    id: "KeySimulation",
    description: "What requests of a key are answered with instead, on staging. One of next, every and percent is set.",
    examples: [exampleSimulation],
  });
