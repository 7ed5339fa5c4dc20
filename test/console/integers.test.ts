import { expect, test } from "bun:test";
import { keepDigits } from "../../console/src/api/call.ts";
import { jsonOf } from "../../console/src/pages/pet-input.ts";

const LARGEST = "9223372036854775807";

test("an integer that a JavaScript number cannot hold is read as its digits, any other as a number", () => {
  const text = `{"id":5,"categoryId":${LARGEST},"next":-9223372036854775808,"at":9007199254740991,"rate":0.5}`;
  expect(JSON.parse(text, keepDigits)).toEqual({
    ...{ id: 5, at: 9_007_199_254_740_991, rate: 0.5 },
    ...{ categoryId: LARGEST, next: "-9223372036854775808" },
  });
});

test("the edited fields of a pet are sent, with the digits of the category as typed and the name escaped", () => {
  expect(jsonOf({ name: '"Rex"\n', categoryId: LARGEST })).toBe(`{"name":"\\"Rex\\"\\n","categoryId":${LARGEST}}`);
  expect(jsonOf({ status: "sold" })).toBe('{"status":"sold"}');
  expect(jsonOf({})).toBe("{}");
});
