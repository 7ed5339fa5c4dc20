import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./ports.ts";
import { temporaryDirectory } from "./temporary.ts";
import { TlsProxy } from "./tls-proxy.ts";

const CONFIGURATION = fileURLToPath(new URL("../../deploy/Caddyfile", import.meta.url));
const { PATH } = process.env;

/** Whether this machine has Caddy. */
export const hasCaddy = spawnSync("caddy", ["version"]).status === 0;

/** Caddy's own opinion of a Caddyfile. Its certificates and locks go below `directory`. */
export function validateCaddyfile(file: string, directory: string) {
  const env = { PATH, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  return spawnSync("caddy", ["validate", "--adapter", "caddyfile", "--config", file], { encoding: "utf8", env });
}

/** Starts Caddy as deploy/ configures it, in front of one node, with the certificate of the authority that it makes for localhost. */
export async function startCaddy(node: number): Promise<TlsProxy> {
  const directory = temporaryDirectory();
  const port = await freePort();
  const plainPort = await freePort();
  const env = {
    PATH,
    HOME: directory,
    XDG_DATA_HOME: directory,
    XDG_CONFIG_HOME: directory,
    PETSTORE_HOST: "localhost",
    PETSTORE_HTTP_PORT: `${plainPort}`,
    PETSTORE_HTTPS_PORT: `${port}`,
    PETSTORE_NODE: `127.0.0.1:${node}`,
  };
  const args = ["run", "--adapter", "caddyfile", "--config", CONFIGURATION];
  const child = spawn("caddy", args, { env, stdio: ["ignore", "ignore", "ignore"] });
  const root = join(directory, "caddy/pki/authorities/local/root.crt");
  for (;;) {
    if (child.exitCode !== null) throw new Error("Caddy ended by itself");
    if (existsSync(root)) {
      const caddy = new TlsProxy(port, plainPort, readFileSync(root, "utf8"), child);
      if (await caddy.isReady()) return caddy;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
