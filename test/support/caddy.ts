import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./ports.ts";
import { temporaryDirectory } from "./temporary.ts";

const CONFIGURATION = fileURLToPath(new URL("../../deploy/Caddyfile", import.meta.url));
const { PATH } = process.env;

/** Whether this machine has Caddy. */
export const hasCaddy = spawnSync("caddy", ["version"]).status === 0;

/** Caddy's own opinion of a Caddyfile. Its certificates and locks go below `directory`. */
export function validateCaddyfile(file: string, directory: string) {
  const env = { PATH, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  return spawnSync("caddy", ["validate", "--adapter", "caddyfile", "--config", file], { encoding: "utf8", env });
}

/** Caddy as deploy/ configures it, in front of one node, with TLS on loopback. */
export class Caddy {
  readonly url: string;
  /** Where it redirects to HTTPS. */
  readonly plainUrl: string;
  /** The certificate to trust: of the authority that Caddy makes for localhost. */
  readonly certificate: string;
  readonly #process: ChildProcess;

  constructor(port: number, plainPort: number, certificate: string, child: ChildProcess) {
    this.url = `https://localhost:${port}`;
    this.plainUrl = `http://localhost:${plainPort}`;
    this.certificate = certificate;
    this.#process = child;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }
}

/** Starts it in front of the server on this port. */
export async function startCaddy(node: number): Promise<Caddy> {
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
      const caddy = new Caddy(port, plainPort, readFileSync(root, "utf8"), child);
      if (await answers(caddy)) return caddy;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function answers({ url, certificate }: Caddy): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { tls: { ca: certificate } }).catch(() => undefined);
  return answer?.status === 200;
}
