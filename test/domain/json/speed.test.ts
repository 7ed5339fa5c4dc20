import { expect, test } from "bun:test";
import { MAX_BODY_BYTES } from "../../../src/adapters/http/body.ts";
import { parseJson } from "../../../src/domain/json/parse.ts";

/** A pet with as many ignored items as the largest body holds. */
function largest(start: string, item: (index: number) => string, end: string): string {
  let text = `{"name":"Rex","categoryId":1,${start}${item(0)}`;
  for (let i = 1; text.length + item(i).length + end.length < MAX_BODY_BYTES; i++) text += `,${item(i)}`;
  return text + end;
}

const array = (item: string, before = "") => largest(`${before}"x":[`, () => item, "]}");

/** The fastest of many runs is compared, because other processes only slow a run down. Below this, in ms, JSON.parse is over before its time says anything. */
const SHORTEST = 0.1;
const MOST_TIMES = 12;

test.each([
  ["integers", array("1")],
  ["integers beside one with a fraction", array("1", '"y":1.0,')],
  ["integers of 19 digits", array("9223372036854775807")],
  ["fractions", array("1.5")],
  ["exponents", array("1e1")],
  ["exponents beyond 2^53", array("1e17")],
  ["fields", largest("", (index) => `"f${index}":1`, "}")],
  ["objects", array("{}")],
  ["strings", array('""')],
  ["escapes", array('"\\n"')],
  ["literals", array("null")],
])("the largest body, of %s, takes no more than a few times what JSON.parse takes", (_, text) => {
  const bytes = new TextEncoder().encode(text);
  const times = { plain: [] as number[], exact: [] as number[] };
  for (let i = 0; i < 101; i++) {
    times.plain.push(timeOf(() => JSON.parse(text)));
    times.exact.push(timeOf(() => parseJson(bytes)));
  }
  expect(Math.min(...times.exact) / Math.max(SHORTEST, Math.min(...times.plain))).toBeLessThan(MOST_TIMES);
});

function timeOf(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}
