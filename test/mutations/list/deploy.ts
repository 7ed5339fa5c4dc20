import type { Mistakes } from "../mutant.ts";

const EXECUTABLES = "test/deploy/executables.long.test.ts";

export const deploy: Mistakes = {
  "deploy/executables.ts": {
    tests: [EXECUTABLES],
    mistakes: [
      ["if (actual !== integrity)", "if (false)"],
      ['if (platform === "darwin-x64") signAdHoc(path, "petstore");', ""],
      ['.digest("hex")}  ', '.digest("hex")} '],
    ],
  },
  "deploy/code-signature.ts": {
    tests: [EXECUTABLES],
    mistakes: [
      ["Math.min((page + 1) * PAGE, codeBytes)", "(page + 1) * PAGE"],
      ["file.writeBigUInt64LE(BigInt(linkeditBytes), linkedit + 48);", ""],
      ["file.writeUInt32LE(blobBytes, signature + 12);", ""],
    ],
  },
};
