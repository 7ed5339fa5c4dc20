import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { beginningOf, NewPet, nameKey, petNameFilter, readNameFilter } from "../../src/domain/pets.ts";
import { holds } from "../support/holds.ts";

const isAccepted = (name: unknown) => NewPet.safeParse({ name, categoryId: 1n }).success;

/** decisions on names: 1 to 255 code points, not blank, no control characters, no lone surrogates. */
function isName(text: string): boolean {
  const points = [...text].map((character) => character.codePointAt(0) ?? 0);
  const isControl = (point: number) => point <= 0x1f || (point >= 0x7f && point <= 0x9f);
  const isSurrogate = (point: number) => point >= 0xd800 && point <= 0xdfff;
  if (points.length < 1 || points.length > 255) return false;
  if (points.some((point) => isControl(point) || isSurrogate(point))) return false;
  return text.trim() !== "";
}

const odd = fc.constantFrom(" ", "\u00a0", "\u3000", "\ufeff", "\u200b", "\t", "\0", "\u007f", "\u0085", "\u009f", "a");
const surrogate = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));
const character = fc.oneof(fc.string({ unit: "binary", minLength: 1, maxLength: 1 }), odd, surrogate);

describe("a name", () => {
  test("is accepted exactly if it is valid", () => {
    const text = fc.array(character, { maxLength: 12 }).map((characters) => characters.join(""));
    holds(
      fc.property(text, (name) => {
        expect(isAccepted(name)).toBe(isName(name));
      }),
      3_000,
    );
  });

  test("has at most 255 code points", () => {
    holds(
      fc.property(
        fc.constantFrom("a", "\u00e9", "\u20ac", "\u{1F415}"),
        fc.integer({ min: 250, max: 260 }),
        (point, count) => {
          expect(isAccepted(point.repeat(count))).toBe(count <= 255);
        },
      ),
    );
  });

  test("is not changed", () => {
    holds(
      fc.property(fc.string({ unit: "binary" }).filter(isName), (name) => {
        expect(NewPet.parse({ name, categoryId: 1n }).name).toBe(name);
      }),
    );
  });
});

test("a lone surrogate is refused in any place", () => {
  holds(
    fc.property(fc.string(), surrogate, fc.string(), (before, half, after) => {
      const name = before + half + after;
      expect(isAccepted(name)).toBe(false);
    }),
  );
});

test("anything but an object with a name and an int64 is refused", () => {
  holds(
    fc.property(fc.anything(), (value) => {
      const { success, data } = NewPet.safeParse(value);
      if (!success) return;
      expect(isName(data.name)).toBe(true);
      expect(typeof data.categoryId).toBe("bigint");
    }),
    1_000,
  );
});

test("the key of a name stays the same: stores keep it", () => {
  expect(nameKey("Re\uff38 \u00c9")).toBe("rex \u00e9");
  expect(nameKey("\ufdfa".repeat(28))).toBe(
    "\u0635\u0644\u0649 \u0627\u0644\u0644\u0647 \u0639\u0644\u064a\u0647 \u0648\u0633\u0644\u0645".repeat(28),
  );
  expect(nameKey("\ufdfa".repeat(29))).toEndWith("\u0627\u0644\u0644\u0647A796icRl3mcM-vB4H04AzB");
});

test("keys are equal for equal names, differ for others, and are well-formed and short", () => {
  const name = fc
    .array(fc.constantFrom("\ufdfa", "a", "A", "\u{1f415}", "\u{10ffff}", "e\u0301", "\u0130"), {
      minLength: 1,
      maxLength: 127,
    })
    .map((parts) => parts.join(""));
  const folded = (text: string) => text.normalize("NFKC").toLowerCase();
  holds(
    fc.property(name, name, fc.nat(8), (one, other, swapped) => {
      const changed = one.slice(0, -swapped || undefined) + other.slice(0, swapped);
      for (const its of [other, changed, one.toUpperCase(), one.normalize("NFD")])
        expect(nameKey(one) === nameKey(its)).toBe(folded(one) === folded(its));
      expect(nameKey(one).isWellFormed()).toBe(true);
      expect(Buffer.byteLength(nameKey(one))).toBeLessThanOrEqual(3 * 512 + 22);
    }),
    300,
  );
});

test("the names that begin so are those whose keys are between two bounds, in the order of their bytes", () => {
  const parts = [
    "a",
    "A\u0301",
    "\u00e1",
    "\u03a3",
    "\u03c3",
    "\u03c2",
    "\ud7ff",
    "\ue000",
    "\u{10000}",
    "\u{10ffff}",
    "\ufdfa",
    "%",
  ];
  const text = (maxLength: number) =>
    fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength }).map((some) => some.join(""));
  holds(
    fc.property(text(40), text(3), (name, start) => {
      const [key, others] = [nameKey(name), [...name].slice(0, 2).join("")];
      for (const { from, below, isTooLong, matches } of [beginningOf(start), beginningOf(others), beginningOf(name)]) {
        const isBetween =
          Buffer.compare(Buffer.from(key), Buffer.from(from)) >= 0 &&
          Buffer.compare(Buffer.from(key), Buffer.from(below)) < 0;
        if (!isTooLong) expect(isBetween).toBe(matches(name));
      }
      expect(beginningOf(name).matches(name)).toBe(true);
      expect(beginningOf("\u{10ffff}".repeat(255)).isTooLong).toBe(false);
    }),
    1_000,
  );
});

test("each name can be asked for, and each of its beginnings", () => {
  const name = fc.array(fc.constantFrom("*", "\\", "a"), { minLength: 1, maxLength: 255 }).map((some) => some.join(""));
  holds(
    fc.property(name, (text) => {
      const escaped = (its: string) => its.replace(/\\+$/, "$&$&");
      const whole = text.endsWith("*") ? `${escaped(text.slice(0, -1))}\\*` : text;
      for (const [filter, isBeginning] of [[whole, false] as const, [`${escaped(text)}*`, true] as const]) {
        expect(readNameFilter(filter)).toEqual({ text, isBeginning });
        expect(petNameFilter.isValid(filter)).toBe(true);
        expect([...filter].length).toBeLessThanOrEqual(petNameFilter.bounds.maxLength);
      }
    }),
    1_000,
  );
});
