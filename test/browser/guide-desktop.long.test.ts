import { describe } from "bun:test";
import { hasChromium } from "./chromium.ts";
import { describePages } from "./guide-pages.ts";

describe.skipIf(!hasChromium)("at a desk, in the light", () =>
  describePages({ viewport: { width: 1400, height: 900 }, colorScheme: "light" }),
);
