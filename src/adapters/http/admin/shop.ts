import { z } from "zod";

const count = (description: string, example: number) =>
  z.int().meta({ type: "integer", format: "int64", minimum: 0, description, examples: [example] });

/** What staging has after a reset. */
export const ShopContents = z
  .strictObject({
    pets: count("How many pets there are.", 200),
    categories: count("How many categories there are.", 9),
    orders: count("How many orders there are.", 85),
    firstPetId: z
      .int()
      .nullable()
      .meta({
        type: ["integer", "null"],
        format: "int64",
        minimum: 1,
        description: "The lowest id of a pet; the others follow it. `null` without pets.",
        examples: [201],
      }),
  })
  .meta({
    id: "ShopContents",
    description: "What staging has after a reset.",
    examples: [{ pets: 200, categories: 9, orders: 85, firstPetId: 201 }],
  });
