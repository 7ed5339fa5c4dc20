import { z } from "zod";
import { keyHash, type Shape } from "./json.ts";

/** An array or an object in its place is left empty. */
const SCALAR: Shape = { member: () => undefined, item: undefined };

/** The parts that a schema reads. From them alone it has the same result: it ignores what it does not name. */
export function shapeOf(schema: z.core.$ZodType): Shape {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return shapeOf(schema.def.innerType);
  }
  // What is transformed afterwards.
  if (schema instanceof z.ZodPipe) return shapeOf(schema.def.in);
  if (schema instanceof z.ZodArray) return { ...SCALAR, item: shapeOf(schema.element) };
  if (!(schema instanceof z.ZodObject)) return SCALAR;
  return withMembers(Object.entries(schema.shape).map(([key, member]) => [key, shapeOf(member)]));
}

/** The members of an object that have these keys and are neither arrays nor objects. */
export function flatShape(keys: readonly string[]): Shape {
  return withMembers(keys.map((key) => [key, SCALAR]));
}

function withMembers(members: [key: string, shape: Shape][]): Shape {
  const shapes = new Map(members.map(([key, shape]) => [keyHash(key), shape]));
  return { ...SCALAR, member: (hash) => shapes.get(hash) };
}
