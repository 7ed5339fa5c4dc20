import { defineConfig } from "@playwright/test";

export default defineConfig({
  use: {
    // A browser that the machine has; without it, the one of `npx playwright install chromium`.
    launchOptions: { executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] },
  },
});
