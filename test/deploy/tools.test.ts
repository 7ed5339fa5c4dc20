import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasHaproxy, makeCertificate } from "../support/haproxy.ts";
import { temporaryDirectory } from "../support/temporary.ts";

const DEPLOY = fileURLToPath(new URL("../../deploy", import.meta.url));
const PATH = `${process.env.PATH}:/usr/sbin`;
const has = (program: string, ...args: string[]) => spawnSync(program, args, { env: { PATH } }).status === 0;
const hasSystemd = has("systemd-analyze", "--version");

if (!hasHaproxy) console.log("skipped: haproxy.cfg is not checked, without haproxy or openssl on this machine");
if (!hasSystemd) console.log("skipped: petstore.service is not checked, without systemd-analyze on this machine");
console.log("left out: no image is built and nothing is composed, for want of a container engine");

/** Checks the files in deploy/ with the programs for which they are written. */
describe("is accepted by its own program:", () => {
  let directory = "";
  beforeAll(() => {
    directory = temporaryDirectory();
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const run = (program: string, args: string[], env: Record<string, string> = {}) =>
    spawnSync(program, args, { encoding: "utf8", env: { PATH, ...env } });

  test.skipIf(!hasHaproxy)("haproxy.cfg", () => {
    makeCertificate(directory);
    const { status, stdout, stderr } = run("haproxy", ["-c", "-f", join(DEPLOY, "haproxy.cfg")], {
      PETSTORE_BIND: "127.0.0.1:8443",
      PETSTORE_BIND_PLAIN: "127.0.0.1:8480",
      PETSTORE_CERTIFICATE: join(directory, "both.pem"),
      PETSTORE_STAGING_HOST: "staging.localhost",
      PETSTORE_NODE_ONE: "127.0.0.1:1",
      PETSTORE_NODE_TWO: "127.0.0.1:2",
      PETSTORE_STAGING_NODE: "127.0.0.1:3",
    });
    expect({ status, said: (stdout + stderr).replace(/^\[NOTICE\].*$/gm, "").trim() }).toEqual({
      status: 0,
      said: "Configuration file is valid",
    });
  });

  describe.skipIf(!hasSystemd)("petstore.service", () => {
    let unit = "";
    beforeAll(() => {
      unit = join(directory, "petstore.service");
      const text = readFileSync(join(DEPLOY, "petstore.service"), "utf8");
      // The program must exist.
      writeFileSync(unit, text.replace("/usr/local/bin/petstore", "/bin/true"));
    });

    test("without warnings", () => {
      expect(run("systemd-analyze", ["verify", unit])).toMatchObject({ status: 0, stdout: "", stderr: "" });
    });

    test("with an exposure of at most 1.3 of 10", () => {
      const { status, stdout } = run("systemd-analyze", ["security", "--offline=true", "--threshold=13", unit]);
      expect({ status, level: stdout.split("\n").at(-2) ?? stdout }).toMatchObject({ status: 0 });
    });
  });
});
