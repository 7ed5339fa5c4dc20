import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./ports.ts";
import { temporaryDirectory } from "./temporary.ts";
import { TlsProxy } from "./tls-proxy.ts";

const CONFIGURATION = fileURLToPath(new URL("../../deploy/haproxy.cfg", import.meta.url));
const PATH = `${process.env.PATH}:/usr/sbin`;

/** Whether this machine has HAProxy, and OpenSSL for its certificate. */
export const hasHaproxy = ["haproxy -v", "openssl version"].every((command) => {
  const [program = "", ...args] = command.split(" ");
  return spawnSync(program, args, { env: { PATH } }).status === 0;
});

/** The version of this machine's HAProxy as major.minor. */
export function haproxyVersion(): number {
  const { stdout } = spawnSync("haproxy", ["-v"], { encoding: "utf8", env: { PATH } });
  return Number(/version (\d+\.\d+)/.exec(stdout)?.[1]);
}

/**
 * Starts HAProxy as deploy/ configures it, in front of two nodes of production and one of staging. `hasIpv6`: also on `::1`, at the
 * same port. `connections`: so many per address, in the place of the number in the file.
 */
export async function startHaproxy(
  one: number,
  two: number,
  staging: number,
  { hasIpv6 = false, connections }: { hasIpv6?: boolean; connections?: number } = {},
): Promise<TlsProxy> {
  const directory = temporaryDirectory();
  let configuration = CONFIGURATION;
  if (connections !== undefined) {
    configuration = join(directory, "haproxy.cfg");
    const text = readFileSync(CONFIGURATION, "utf8");
    writeFileSync(configuration, text.replace(/(?<=sc0_conn_cur gt )\d+/, `${connections}`));
    cpSync(join(dirname(CONFIGURATION), "haproxy-errors"), join(directory, "haproxy-errors"), { recursive: true });
  }
  const certificate = makeCertificate(directory);
  const port = await freePort();
  const plainPort = await freePort();
  const env = {
    PATH,
    PETSTORE_BIND: `127.0.0.1:${port}${hasIpv6 ? `,[::1]:${port}` : ""}`,
    PETSTORE_BIND_PLAIN: `127.0.0.1:${plainPort}`,
    PETSTORE_CERTIFICATE: join(directory, "both.pem"),
    // In upper or lower case, as the header.
    PETSTORE_STAGING_HOST: "Staging.localhost",
    PETSTORE_NODE_ONE: `127.0.0.1:${one}`,
    PETSTORE_NODE_TWO: `127.0.0.1:${two}`,
    PETSTORE_STAGING_NODE: `127.0.0.1:${staging}`,
  };
  const child = spawn("haproxy", ["-db", "-f", configuration], { env, stdio: ["ignore", "ignore", "inherit"] });
  const haproxy = new TlsProxy(port, plainPort, certificate, child);
  while (!(await haproxy.isReady())) {
    if (child.exitCode !== null) throw new Error("HAProxy ended by itself");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return haproxy;
}

/** Creates a certificate for localhost with its key, and returns it as PEM. */
export function makeCertificate(directory: string): string {
  const [key, certificate] = [join(directory, "key.pem"), join(directory, "certificate.pem")];
  const names = "subjectAltName=DNS:localhost,DNS:staging.localhost";
  const what = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"];
  const files = ["-keyout", key, "-out", certificate];
  execFileSync("openssl", [...what, "-subj", "/CN=localhost", "-addext", names, ...files], { stdio: "pipe" });
  const text = readFileSync(certificate, "utf8");
  writeFileSync(join(directory, "both.pem"), text + readFileSync(key, "utf8"));
  return text;
}
