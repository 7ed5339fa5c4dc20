import { z } from "zod";

const LONGEST = 255;
const PATTERN = `^[ -~]{1,${LONGEST}}$`;

/** The header Idempotency-Key: a name for a creation, which its client makes up. */
export const IdempotencyKey = z
  .string()
  .regex(new RegExp(PATTERN), { error: `must be 1 to ${LONGEST} printable ASCII characters` })
  .meta({
    minLength: 1,
    maxLength: LONGEST,
    pattern: PATTERN,
    description:
      "Names this creation among those of the API key, for 24 hours. Make up a new one for each creation, a UUID for example. Sent again with the same pet it is answered as the first time.",
    examples: ["7c0ff4d2-8a1c-4a8e-9c55-0d7c1c6f9b0e"],
  });
