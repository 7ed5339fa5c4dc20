import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { baseUrl, type S3Bucket, s3Client, s3Objects } from "../../../src/adapters/s3/client.ts";
import { besideLoad } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { freePort } from "../../support/ports.ts";
import { commandFor, MAIN } from "../../support/runtime.ts";
import { runtimes } from "../../support/runtimes.ts";
import { hasS3, S3Server } from "../../support/s3-server.ts";
import { temporaryDirectory } from "../../support/temporary.ts";

const MEBIBYTE = 1024 * 1024;

describe.skipIf(!hasS3)("with a server of S3", () => {
  let server: S3Server;
  let directory: string;
  beforeAll(async () => {
    server = await S3Server.start();
    directory = temporaryDirectory();
  });
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true });
  });

  const objects = (options: { prefix: string; with?: Partial<S3Bucket> }) =>
    s3Objects(s3Client({ ...server.bucket, ...options.with }, { attempts: 2 }), options.prefix, 5 * MEBIBYTE);

  /** A file of random bytes. */
  function file(bytes: number): { path: string; contents: Buffer } {
    const contents = randomBytes(bytes);
    const path = join(directory, String(bytes));
    writeFileSync(path, contents);
    return { path, contents };
  }

  test.each([0, 1, 5 * MEBIBYTE, 5 * MEBIBYTE + 1, 12 * MEBIBYTE])("a file of %d bytes comes back", async (bytes) => {
    const { path, contents } = file(bytes);
    const stored = objects({ prefix: "a/" });
    await stored.putFile("file.db", path);
    expect(await stored.list()).toEqual([{ key: "file.db", bytes }]);
    const read = await stored.get("file.db");
    expect(read?.bytes).toBe(bytes);
    expect(Buffer.concat(await Array.fromAsync(read?.chunks ?? [])).equals(contents)).toBe(true);
    await stored.remove("file.db");
    await stored.remove("file.db");
    expect(await stored.list()).toEqual([]);
    expect(await stored.get("file.db")).toBeUndefined();
  });

  test("a list has only what is below the prefix, by its key after it", async () => {
    const [stored, others] = [objects({ prefix: "own/" }), objects({ prefix: "own" })];
    await others.put("ers", new Uint8Array(1));
    await stored.put("a.json", new Uint8Array(2));
    expect(await stored.list()).toEqual([{ key: "a.json", bytes: 2 }]);
  });

  test.each([
    ["another secret", { secretAccessKey: "wrong" }, "403 SignatureDoesNotMatch"],
    ["another key", { accessKeyId: "wrong-key-id" }, "403 InvalidAccessKeyId"],
    ["another bucket", { bucket: "missing" }, "404 NoSuchBucket"],
  ])("%s is refused, and the reason has no credentials", async (_, wrong, reason) => {
    const error = await objects({ prefix: "", with: wrong }).list().then(String, String);
    expect(error).toContain(reason);
    expect(error).not.toMatch(/wrong|S3RVER/);
  });
});

test.each([
  [
    "S3 itself, with the bucket in the host's name",
    "backups",
    undefined,
    "https://backups.s3.eu-central-1.amazonaws.com",
  ],
  ["S3 itself, whose certificate has no dots in names", "a.b", undefined, "https://s3.eu-central-1.amazonaws.com/a.b"],
  ["a compatible service, with the bucket in the path", "backups", "https://minio/", "https://minio/backups"],
])("the base URL is that of %s", (_, bucket, endpoint, url) => {
  states("docs/settings.md", "The URL of a service that is compatible with S3, such as MinIO. Without it, S3 itself.");
  states(
    "docs/backups.md",
    "`AWS_ENDPOINT_URL_S3` | The URL of a service that is compatible with S3,",
    "The bucket is in the path then.",
  );
  expect(baseUrl({ bucket, endpoint, region: "eu-central-1" })).toBe(url);
});

const bucketAt = (endpoint: string): S3Bucket => ({
  ...{ bucket: "backups", endpoint, region: "us-east-1", sessionToken: undefined },
  ...{ accessKeyId: "key", secretAccessKey: "secret" },
});

describe("a server that fails", () => {
  let server: Server;
  let connections = 0;
  let answer: (socket: Socket) => void = () => {};
  let endpoint = "";
  beforeAll(async () => {
    server = createServer((socket) => {
      connections += 1;
      socket.on("error", () => {});
      socket.once("data", () => answer(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    endpoint = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  });
  afterAll(() => void server.close());

  const objectsAt = (attempts: number, timeout = 200) =>
    s3Objects(s3Client(bucketAt(endpoint), { attempts, timeout }), "");
  const listAt = (attempts: number) => objectsAt(attempts).list().then(String, String);
  const sends = (text: string) => {
    answer = (socket) => void socket.write(text);
  };

  test("by hanging is given up after the timeout of each attempt", async () => {
    answer = () => {};
    connections = 0;
    const startedAt = performance.now();
    expect(await listAt(2)).toMatch(/127\.0\.0\.1:\d+ did not answer for 0\.2 s\./);
    expect(performance.now() - startedAt).toBeLessThan(besideLoad(5_000));
    expect(connections).toBe(2);
  });

  test("by cutting connections is reported with its address", async () => {
    answer = (socket) => socket.destroy();
    expect(await listAt(1)).toMatch(/127\.0\.0\.1:\d+ cannot be reached: /);
  });

  test.each(runtimes)("by refusing connections is reported with the reason of the system, on %s", async (runtime) => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const [program, ...args] = commandFor(MAIN, runtime);
    const directory = temporaryDirectory();
    const { stderr } = spawnSync(program, [...args, "database", "backups", "list"], {
      encoding: "utf8",
      env: {
        ...{ PATH: process.env.PATH, DATABASE_URL: `sqlite:${join(directory, "petstore.db")}` },
        ...{ PETSTORE_BACKUP_S3: "s3://backups", AWS_ENDPOINT_URL_S3: url },
        ...{ AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" },
      },
    });
    expect(stderr).toMatch(/127\.0\.0\.1:\d+ cannot be reached: .*(refused|Unable to connect)/i);
    rmSync(directory, { recursive: true });
  });

  test.each(["200 OK", "403 Forbidden"])("by hanging in the body of a %s is given up, too", async (status) => {
    states("docs/backups.md", "So has an answer that stops");
    sends(`HTTP/1.1 ${status}\r\nContent-Length: 100\r\n\r\nonly a part`);
    expect(await listAt(1)).toMatch(/S3 stopped sending|403/);
  });

  test("by never ending a body is given up before it fills the memory", async () => {
    states("docs/backups.md", ", does not end,");
    const chunk = "a".repeat(1024 * 1024);
    answer = (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
      const send = () => void (socket.writable && socket.write(chunk, () => send()));
      send();
    };
    expect(await objectsAt(1, 60_000).getText("a.json").then(String, String)).toContain("more than 8388608 bytes");
  });

  test("by pages without end is given up", async () => {
    let page = 0;
    answer = (socket) => {
      page += 1;
      const body = `<IsTruncated>true</IsTruncated><NextContinuationToken>${page}</NextContinuationToken>`;
      socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    };
    expect(await listAt(1)).toContain("more than 100,000 objects");
  });

  test.each([
    ["fewer", 5, "fewer than the 10 bytes"],
    ["more", 15, "more than the 10 bytes"],
  ])("by sending %s bytes than it said is noticed", async (_, sent, reason) => {
    states("docs/backups.md", "or is longer or shorter than the object.");
    answer = (socket) => {
      // The first request is HEAD.
      const isHead = connections === 1;
      socket.end(
        `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${isHead ? 10 : sent}\r\n\r\n${isHead ? "" : "a".repeat(sent)}`,
      );
    };
    connections = 0;
    const found = await objectsAt(1).get("file.db");
    expect(found?.bytes).toBe(10);
    expect(await Array.fromAsync(found?.chunks ?? []).then(String, String)).toContain(reason);
  });

  test("by sending an object slower than any upload is given up, however much has arrived", async () => {
    answer = (socket) => {
      const isHead = connections === 1;
      socket.write(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n`);
      if (isHead) return socket.end();
      const sending = setInterval(() => socket.write("a".repeat(10)), 20);
      socket.once("close", () => clearInterval(sending));
    };
    connections = 0;
    const client = s3Client(bucketAt(endpoint), { attempts: 1, timeout: 10_000 });
    const found = await s3Objects(client, "", undefined, 300).get("file.db");
    expect(await Array.fromAsync(found?.chunks ?? []).then(String, String)).toContain("S3 stopped sending");
  });
});
