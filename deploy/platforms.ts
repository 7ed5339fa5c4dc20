/** The platforms of the executables, and the package of the npm registry that has the Bun of each: its x64 needs no AVX2. */
export const BUN_OF = {
  "linux-x64": "@oven/bun-linux-x64",
  "linux-arm64": "@oven/bun-linux-aarch64",
  "darwin-arm64": "@oven/bun-darwin-aarch64",
  "darwin-x64": "@oven/bun-darwin-x64",
  "windows-x64": "@oven/bun-windows-x64",
} as const;

export type Platform = keyof typeof BUN_OF;
export const PLATFORMS = Object.keys(BUN_OF) as Platform[];
