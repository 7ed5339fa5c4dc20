import { MAX_BODY_BYTES } from "../../../src/adapters/http/body.ts";

const LEVELS_INSIDE = 30;

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

/** Bodies of the largest size that take long to parse, by their content. */
export const largestBodies: [content: string, text: string][] = [
  ["integers", array("1")],
  ["integers beside one with a fraction", array("1", '"y":1.0,')],
  ["integers of 19 digits", array("9223372036854775807")],
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
