import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { S3Bucket } from "../../src/adapters/s3/client.ts";
import { kill } from "./kill.ts";
import { commandFor } from "./runtime.ts";
import { temporaryDirectory } from "./temporary.ts";

const MODULE = join(import.meta.dir, "../../.ci/tools/node_modules/@20minutes/s3rver");

/** Whether `npm install --prefix .ci/tools` has brought the server. */
export const hasS3 = existsSync(MODULE);
if (!hasS3) console.log("skipped: nothing is tested with S3, without `npm install --prefix .ci/tools`");

const BUCKET = "backups";
const PROGRAM = join(import.meta.dir, "s3-server-process.ts");

/** The access key that the server knows. It refuses every other one, and requests that are not signed with its secret. */
const ACCESS_KEY = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };

/** A server of S3 in a process of its own, with a bucket. Its objects are in a directory, and outlive it. */
export class S3Server implements Disposable {
  readonly directory = temporaryDirectory();
  #process: ChildProcess | undefined;
  #port = 0;

  static async start(): Promise<S3Server> {
    const server = new S3Server();
    await server.start();
    return server;
  }

  /** Starts it, at the same address again. */
  async start(): Promise<void> {
    const [bun] = commandFor("", "bun");
    mkdirSync(join(this.directory, BUCKET), { recursive: true });
    this.#process = spawn(bun, [PROGRAM, MODULE, this.directory, String(this.#port), BUCKET], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const { stdout } = this.#process;
    if (stdout === null) throw new Error("standard output is not a pipe");
    for await (const line of createInterface({ input: stdout })) {
      this.#port = Number(line);
      return;
    }
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Its bucket, for the client. */
  get bucket(): S3Bucket {
    const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = ACCESS_KEY;
    const { endpoint } = this;
    return { bucket: BUCKET, endpoint, region: "us-east-1", accessKeyId, secretAccessKey, sessionToken: undefined };
  }

  /** The settings of a service that copies its backups there. */
  get env() {
    return { PETSTORE_BACKUP_S3: `s3://${BUCKET}/petstore`, AWS_ENDPOINT_URL_S3: this.endpoint, ...ACCESS_KEY };
  }

  stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    return kill(child);
  }

  [Symbol.dispose](): void {
    void this.stop();
  }
}
