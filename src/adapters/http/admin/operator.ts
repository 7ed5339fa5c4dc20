import { z } from "zod";
import { roles } from "../../../domain/operators/operator.ts";
import { pathId, timestamp } from "./fields.ts";

export const OperatorPath = z.object({ id: pathId("op_4kTn0aWq7JbYcX2z", "operator_not_found") });

/** For the document. */
export const exampleOperator = {
  id: "op_4kTn0aWq7JbYcX2z",
  name: "Ada",
  role: "viewer",
  createdAt: "2026-12-02T10:00:00.250Z",
  revokedAt: null,
};

export const Operator = z
  .strictObject({
    id: z.string().meta({ examples: ["op_4kTn0aWq7JbYcX2z"] }),
    name: z.string(),
    role: z.enum(roles),
    createdAt: timestamp,
    revokedAt: timestamp.nullable(),
  })
  .meta({
    id: "Operator",
    description: "A person or program that operates the service: viewers read, admins change.",
    examples: [exampleOperator],
  });
