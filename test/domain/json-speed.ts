/** The largest bodies. As a program it parses each often, one after another, and prints the fastest times as JSON. */
import { MAX_BODY_BYTES } from "../../src/adapters/http/request.ts";
import { parseJson, shapeOf } from "../../src/domain/json.ts";
import { NewPet } from "../../src/domain/pets.ts";

/** By content, in ms: the time of parsing the body, and that of a simple loop over it. */
export type Times = Record<string, { parse: number; loop: number }>;

const LEVELS_INSIDE = 30;
const RUNS = 301;
const shape = shapeOf(NewPet);

/** A pet with as many ignored items as the largest body holds. */
function largest(start: string, item: (index: number) => string, end: string): string {
  const items: string[] = [];
  let size = Buffer.byteLength(`{"name":"Rex","categoryId":1,${start}${end}`);
  for (let i = 0; ; i++) {
    size += Buffer.byteLength(item(i)) + 1;
    if (size > MAX_BODY_BYTES) return `{"name":"Rex","categoryId":1,${start}${items.join()}${end}`;
    items.push(item(i));
  }
}

const array = (item: string, before = "") => largest(`${before}"x":[`, () => item, "]}");
const fields = (key: (index: number) => string) => largest("", (index) => `"${key(index)}":1`, "}");
const nested = (open: string, inside: string, close: string) =>
  array(open.repeat(LEVELS_INSIDE) + inside + close.repeat(LEVELS_INSIDE));
const short = (index: number) => index.toString(36);
const object = `{${Array.from({ length: 20 }, (_, i) => `"${short(i)}":1`)}}`;
const threeDigits = (index: number) => short(index).padStart(3, "0");
/** Bun's hash of strings (RapidHash, without a seed) does not depend on what is between these characters. */
const COLLIDING_START = "\u0093K\u00b8\u008b";
const COLLIDING_END = "\u00c9\u00ac.\u0096";
const colliding = (middle: string) => `${COLLIDING_START}${middle}${COLLIDING_END}`;

/** Bodies of the largest size that take long to parse, by their content. */
export const largestBodies: [content: string, text: string][] = [
  ["integers", array("1")],
  ["integers beside one with a fraction", array("1", '"y":1.0,')],
  ["integers of 19 digits", array("9223372036854775807")],
  ["integers beside one of 19 digits", array("1", '"y":9223372036854775807,')],
  ["fractions", array("1.5")],
  ["exponents", array("1e1")],
  ["exponents beyond 2^53", array("1e17")],
  ["fields", fields((index) => `f${index}`)],
  ["fields with the shortest keys", fields(short)],
  ["fields with numbers as keys", fields(String)],
  ["fields with escaped keys", fields((index) => `\\u0061${short(index)}`)],
  ["fields beyond ASCII", fields((index) => `é${short(index)}`)],
  ["objects", array("{}")],
  ["objects of one field", array('{"a":1}')],
  ["objects of twenty fields", array(object)],
  ["arrays", array("[]")],
  ["deep arrays", nested("[", "", "]")],
  ["deep objects", nested('{"a":', "1", "}")],
  ["strings", array('""')],
  ["escapes", array('"\\n"')],
  ["one string of escapes", array(`"${"\\u00e9".repeat(10_000)}"`)],
  ["literals", array("null")],
  ["arrays in place of a name", `{"name":[${Array.from({ length: 20_000 }, () => "[]")}]}`],
  ["white space", array(" 1 ")],
];

/** Bodies of the largest size whose strings have one hash on Bun, by their content. */
export const collidingBodies: [content: string, text: string][] = [
  ["fields with equal hashes", fields((index) => colliding(threeDigits(index)))],
  ["escaped fields with equal hashes", fields((index) => colliding(`\\n${threeDigits(index)}`))],
  ["escapes with equal hashes", largest('"x":[', (index) => `"${colliding(`\\n${threeDigits(index)}`)}"`, "]}")],
];

/** The same body with strings of different hashes. */
export const withoutCollisions = (text: string) => text.replaceAll(COLLIDING_START, "\u0092K\u00b8\u008b");

if (import.meta.main) console.log(JSON.stringify(timesOfAll()));

function timesOfAll(): Times {
  return Object.fromEntries([...largestBodies, ...collidingBodies].map(([content, text]) => [content, timesOf(text)]));
}

function timesOf(text: string): { parse: number; loop: number } {
  const bytes = new TextEncoder().encode(text);
  const times = { parse: Infinity, loop: Infinity };
  for (let run = 0; run < RUNS; run += 1) {
    times.parse = Math.min(
      times.parse,
      timeOf(() => parseJson(bytes, "The body", shape)),
    );
    times.loop = Math.min(
      times.loop,
      timeOf(() => hashOf(bytes)),
    );
  }
  return times;
}

export function timeOf(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function hashOf(bytes: Uint8Array): number {
  let hash = 0;
  for (let i = 0; i < bytes.length; i += 1) hash = (hash * 31 + Number(bytes[i])) | 0;
  return hash;
}
