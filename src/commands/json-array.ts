import { toJson } from "../domain/json/write.ts";

/** Formats values as one indented JSON array, value by value. */
export async function* jsonArray(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  let separator = "[";
  for await (const value of values) {
    yield `${separator}\n  ${toJson(value, 2).replaceAll("\n", "\n  ")}`;
    separator = ",";
  }
  yield separator === "[" ? "[]\n" : "\n]\n";
}
