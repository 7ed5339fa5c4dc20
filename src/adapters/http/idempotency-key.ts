import { z } from "zod";

const LONGEST = 255;
const PATTERN = `^[ -~]{1,${LONGEST}}$`;

/** The header Idempotency-Key, which the client chooses. */
export const IdempotencyKey = z
  .string()
  .regex(new RegExp(PATTERN), { error: `must be 1 to ${LONGEST} printable ASCII characters` })
  .meta({
    minLength: 1,
    maxLength: LONGEST,
    pattern: PATTERN,
    description:
      "Identifies this creation among those of the API key, for 24 hours. Choose a new value for each creation, for example a UUID. A repeated request with the same pet gets the first response.",
    examples: ["7c0ff4d2-8a1c-4a8e-9c55-0d7c1c6f9b0e"],
  });
