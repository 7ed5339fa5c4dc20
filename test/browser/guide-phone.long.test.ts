import { describe } from "bun:test";
import { hasChromium } from "./chromium.ts";
import { describePages } from "./guide-pages.ts";

describe.skipIf(!hasChromium)("on a phone, in the dark", () =>
  describePages({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: "dark" }),
);
