import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { kill } from "./kill.ts";

const MODULES = join(import.meta.dir, "../../.ci/tools/node_modules");

/** Whether `npm install --prefix .ci/tools` has brought the provider. */
export const hasOpenIdProvider: boolean = existsSync(join(MODULES, "oidc-provider"));
if (!hasOpenIdProvider) console.log("skipped: nobody signs in at a provider, without `npm install --prefix .ci/tools`");

const PROGRAM = join(import.meta.dir, "openid-provider-process.ts");

/** What the provider does wrong, on paths that begin so, or everywhere. */
export type Lie = {
  /** Where it takes the secret of a client from; by default from both. */
  takesSecret?: "basic" | "form" | undefined;
  hangs?: true | string;
  fails?: string;
  /** Members of the discovery document in place of its own. */
  discovery?: Record<string, unknown>;
  token?: { claims?: Record<string, unknown>; signedBy?: "another" | "nobody" };
};

/** A provider in a process of its own. */
export class OpenIdProvider implements AsyncDisposable {
  #process: ChildProcess | undefined;
  readonly #host: string;
  issuer = "";

  constructor(host: string) {
    this.#host = host;
  }

  /** By the name localhost, it is another site for browsers than a service at an address. */
  static async start(host: "127.0.0.1" | "localhost" = "127.0.0.1"): Promise<OpenIdProvider> {
    const provider = new OpenIdProvider(host);
    await provider.start();
    return provider;
  }

  /** Starts it, at the same address again. */
  async start(): Promise<void> {
    const port = this.issuer === "" ? "0" : new URL(this.issuer).port;
    const child = spawn(join(MODULES, ".bin/node"), [PROGRAM, MODULES, port, this.#host], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#process = child;
    createInterface({ input: child.stdout }).on("line", (line) => child.emit("printed", line));
    this.issuer = await printedBy(child);
  }

  async lie(lie: Lie): Promise<void> {
    const child = this.#process;
    if (child === undefined) throw new Error("the provider does not run");
    const isReady = printedBy(child);
    child.stdin?.write(`${JSON.stringify(lie)}\n`);
    await isReady;
  }

  /** The settings of a service that trusts it. */
  get env() {
    return {
      PETSTORE_OIDC_ISSUER: this.issuer,
      PETSTORE_OIDC_CLIENT_ID: "petstore",
      PETSTORE_OIDC_CLIENT_SECRET: "the secret of the client",
    };
  }

  stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    return kill(child);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** The next line that it prints. @throws when it ends before */
function printedBy(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error("the provider ended"));
    child.once("close", ended).once("printed", (line: string) => {
      child.off("close", ended);
      resolve(line);
    });
  });
}

type Cookie = { name: string; value: string; path: string };

/** What a browser does of HTTP between the service and the provider: it keeps cookies, and goes where it is sent. */
export class Visitor {
  readonly cookies: Cookie[] = [];

  /** Opens an address, without going on from there. */
  async open(url: string, form?: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    const { pathname } = new URL(url);
    const sent = this.cookies.filter(({ path }) => `${pathname}/`.startsWith(path.endsWith("/") ? path : `${path}/`));
    const response = await fetch(url, {
      redirect: "manual",
      headers: { ...headers, Cookie: sent.map(({ name, value }) => `${name}=${value}`).join("; ") },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  /** Goes to the provider, and signs in there as the person with these claims, or cancels. Returns where the provider sends it. */
  async toCallback(adminUrl: string, person: object | undefined): Promise<string> {
    const begun = await this.open(`${adminUrl}/admin/v1/session/oidc`);
    return this.atProvider(targetOf(begun), person);
  }

  /** The same from the address at the provider. */
  async atProvider(url: string, person: object | undefined): Promise<string> {
    let target = url;
    for (let step = 0; !new URL(target).pathname.endsWith("/session/oidc/callback"); step++) {
      if (step === 10) throw new Error(`the provider leads nowhere: ${target}`);
      const isForm = new URL(target).pathname.startsWith("/interaction/");
      const form = person === undefined ? {} : { person: JSON.stringify(person) };
      target = new URL(targetOf(await this.open(target, isForm ? form : undefined)), target).href;
    }
    return target;
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split(/; ?/);
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? "/";
    const at = this.cookies.findIndex((one) => one.name === name && one.path === path);
    if (at !== -1) this.cookies.splice(at, 1);
    if (value !== "" && !attributes.includes("Max-Age=0")) this.cookies.push({ name, value, path });
  }
}

/** Where a response sends a browser. @throws when it does not */
export function targetOf(response: Response): string {
  const target = response.headers.get("Location");
  if (target === null) throw new Error(`${response.url} sends nobody elsewhere: ${response.status}`);
  return target;
}
