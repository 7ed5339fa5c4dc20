import { describe, expect, test } from "bun:test";
import { states } from "../../support/markdown.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

const PROBLEM = "must be 1 to 255 characters, not blank, without control characters or lone surrogates";

const accepted = {
  "one character": "R",
  "255 letters": "x".repeat(255),
  "255 characters beyond the basic plane": "\u{1F415}".repeat(255),
  "spaces around it": "  Rex  ",
  "quotes, backslashes and markup": `"\\</script>'; DROP TABLE pets; --`,
  "a soft hyphen, which is no control character": "Re\u00adx",
  "the first letters beyond the control characters": "\u0020a\u007e\u00a0a",
  "decomposed and composed accents": "e\u0301 \u00e9",
  "the byte order mark within it": "a\ufeffb",
  "the last code point": "\u{10ffff}",
};

describe("a name is stored exactly as sent:", () => {
  test.each(Object.entries(accepted))("%s", async (_, name) => {
    states("docs/interface.md", "`name` | string | yes | 1 to 255 Unicode code points,", "Stored exactly as sent.");
    const added = await client.post("/v1/pets", { name, categoryId: 1 });
    expect(added.body).toMatchObject({ name });
    const listed = await client.get(`/v1/pets?ids=${added.body.id}`);
    expect(listed.body[0].name).toBe(name);
  });

  test("a pair of surrogates written with escapes is one character", async () => {
    const added = await client.post("/v1/pets", '{"name":"\\ud83d\\udc15","categoryId":1}');
    expect(added.body.name).toBe("\u{1F415}");
  });
});

const SPACES = [
  0x20, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028,
  0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
];

describe("a name is refused when it", () => {
  async function expectRefused(name: unknown, problem = PROBLEM): Promise<void> {
    expect(await client.post("/v1/pets", { name, categoryId: 1 })).toMatchObject({
      status: 400,
      body: { code: "validation_failed", details: [{ in: "body", field: "name", problem }] },
    });
  }

  test("is empty", () => expectRefused(""));
  test("has 256 letters", () => expectRefused("x".repeat(256)));
  test("has 256 characters beyond the basic plane", () => expectRefused("\u{1F415}".repeat(256)));
  test("is far too long", () => expectRefused("x".repeat(60_000)));

  test.each(SPACES.map((space) => space.toString(16)))("is blank: nothing but U+%s", (space) =>
    expectRefused(String.fromCodePoint(Number.parseInt(space, 16)).repeat(3)),
  );
  test("is blank with a mixture of spaces", () => expectRefused(String.fromCodePoint(...SPACES)));

  test("has a control character, whichever", async () => {
    states("docs/interface.md", "no control characters (U+0000 to U+001F, U+007F to U+009F)");
    for (const [first, last] of [
      [0x00, 0x1f],
      [0x7f, 0x9f],
    ] as const) {
      for (let code = first; code <= last; code++) await expectRefused(`Re${String.fromCodePoint(code)}x`);
    }
  });

  test.each(["\\ud800", "\\udc00", "a\\udfffb", "\\udc15\\ud83d", "\\ud83d\\ud83d\\udc15"])(
    "has a lone surrogate: %s",
    async (escapes) => {
      const answer = await client.post("/v1/pets", `{"name":"${escapes}","categoryId":1}`);
      expect(answer).toMatchObject({
        status: 400,
        body: { code: "validation_failed", details: [{ problem: PROBLEM }] },
      });
    },
  );

  test.each([[null], [1], [true], [["Rex"]], [{ first: "Rex" }]])("is %p", (name) =>
    expectRefused(name, "must be a string"),
  );
});
