import { z } from "zod";
import { MAX_REQUESTS, MAX_SEED } from "../../../../domain/simulation/schedule.ts";
import { integer, JSON_OBJECT, required } from "../fields.ts";
import { currentKey, exampleKey, Key, KeyPath, keyAdministration } from "../key.ts";
import { exampleSimulation } from "../key-simulation.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

const NewSimulation = z
  .object(
    {
      answer: z.string({ error: required("must be a string") }).meta({
        description: "A value of the header `Petstore-Simulate`, such as an error code or `delay=2000`.",
        examples: ["rate_limit_exceeded"],
      }),
      next: integer(1, MAX_REQUESTS)
        .optional()
        .meta({ description: "Answers so many requests, from the next one on." }),
      every: integer(1, MAX_REQUESTS).optional().meta({ description: "Answers one in so many requests." }),
      percent: integer(1, 100).optional().meta({ description: "Answers this share of the requests." }),
      seed: integer(0, MAX_SEED).optional().meta({
        description: "Selects the requests of the share: the same seed, the same requests. 0 by default.",
      }),
    },
    JSON_OBJECT,
  )
  .meta({
    id: "NewKeySimulation",
    description: "An answer, and exactly one of `next`, `every` and `percent`.",
    examples: [{ answer: "rate_limit_exceeded", next: 3 }],
  });

/** PUT /keys/{id}/simulation */
export const simulateKey = operation({
  id: "simulateKey",
  method: "put",
  path: "/keys/{id}/simulation",
  role: "admin",
  tag: "keys",
  summary: "Simulate answers to a key",
  description:
    "Has requests of a key answered with a simulated answer, on staging only: the next ones, one in so many, or a share. Replaces the simulation that the key has. Requests with the header `Petstore-Simulate` follow that, and do not count.",
  request: { params: KeyPath, body: NewSimulation },
  answers: {
    200: { description: "The key.", schema: Key, example: { ...exampleKey, simulation: exampleSimulation } },
  },
  refusals: ["key_not_found", "invalid_state"],
  handle:
    (services) =>
    async ({ params, body, context }) => {
      await keyAdministration(services, context).simulate(params.id, body, services.clock());
      return json(context, 200, await currentKey(services, params.id));
    },
});
