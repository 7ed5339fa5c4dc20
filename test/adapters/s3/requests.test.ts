import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { join } from "node:path";
import { BackupDirectory, diskOf } from "../../../src/adapters/backups/directory.ts";
import { s3Backups } from "../../../src/adapters/s3/backups.ts";
import { type S3Bucket, s3Client, s3Objects } from "../../../src/adapters/s3/client.ts";
import { type Backup, backupName, descriptionName } from "../../../src/domain/backups.ts";
import { withDownload } from "../../../src/wiring/backups/make-backup.ts";
import { states } from "../../support/markdown.ts";
import { temporaryDirectory } from "../../support/temporary.ts";

type Answer = { status?: number; headers?: Record<string, string>; body?: string; delay?: number };

const UPLOAD = { body: "<UploadId>an-upload</UploadId>" };
/** As S3 sends it: it has begun an answer while it worked. */
const FAILURE = `\n<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>InternalError</Code></Error>`;
const isPart = ({ url = "" }: IncomingMessage) => url.includes("partNumber=");

let server: Server;
let endpoint: string;
let directory: string;
/** The requests that the server got, and how it answers them. */
let requests: IncomingMessage[];
let answer: (request: IncomingMessage) => Answer;
beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request);
    request.resume().on("end", () => {
      const { status = 200, headers = {}, body = "", delay = 0 } = answer(request);
      setTimeout(() => response.writeHead(status, headers).end(body), delay);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  endpoint = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  directory = temporaryDirectory();
  requests = [];
  answer = () => ({});
});
afterEach(() => rmSync(directory, { recursive: true }));

const clientWith = (bucket: Partial<S3Bucket> = {}, attempts = 2, timeout?: number) =>
  s3Client(
    {
      ...{ bucket: "backups", endpoint, region: "us-east-1", sessionToken: undefined },
      ...{ accessKeyId: "key", secretAccessKey: "secret", ...bucket },
    },
    { attempts, ...(timeout !== undefined && { timeout }) },
  );
const objectsIn = (partBytes?: number) => s3Objects(clientWith(), "", partBytes);

function file(bytes: number): string {
  const path = join(directory, "file.db");
  writeFileSync(path, new Uint8Array(bytes));
  return path;
}

test("a session token is sent and signed", async () => {
  states("docs/settings.md", "Its session token, if it is temporary.");
  await clientWith({ sessionToken: "a-token" }).send({ method: "GET" });
  const [{ headers } = {}] = requests;
  expect(headers?.["x-amz-security-token"]).toBe("a-token");
  expect(headers?.authorization).toContain("x-amz-security-token");
});

test("a list asks for what is below the prefix alone, also for its further pages", async () => {
  answer = () => ({
    body:
      requests.length > 1 ? "" : "<IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken>",
  });
  await s3Objects(clientWith(), "petstore/").list();
  const queries = requests.map(({ url = "" }) => new URL(url, endpoint).searchParams);
  expect(queries.map((query) => [query.get("prefix"), query.get("continuation-token")])).toEqual([
    ["petstore/", null],
    ["petstore/", "next"],
  ]);
});

test("what fails for a while is sent again, and nothing else", async () => {
  answer = ({ url = "" }) => ({
    status: requests.filter((request) => request.url === url).length > 1 ? 200 : Number(url.split("/")[2]?.slice(0, 3)),
  });
  const attempts = async (status: number) => {
    const outcome = await clientWith()
      .send({ method: "GET", key: String(status) })
      .then(
        () => "sent",
        () => "failed",
      );
    return [status, outcome];
  };
  expect(await Promise.all([408, 429, 500, 503, 400, 403].map(attempts))).toEqual([
    [408, "sent"],
    [429, "sent"],
    [500, "sent"],
    [503, "sent"],
    [400, "failed"],
    [403, "failed"],
  ]);
});

test("the pauses between attempts are half a second, and then twice as long as the one before", async () => {
  const times: number[] = [];
  answer = () => {
    times.push(performance.now());
    return { status: 503 };
  };
  await expect(clientWith({}, 3).send({ method: "GET" })).rejects.toThrow("503");
  const [first = 0, second = 0, third = 0] = times;
  // Timers may be a moment early, and late by any time.
  expect(second - first).toBeGreaterThan(490);
  expect(third - second).toBeGreaterThan(990);
});

test("a redirect is not followed: it names the region of the bucket", async () => {
  answer = ({ url = "" }) =>
    url.startsWith("/elsewhere")
      ? {}
      : { status: 307, headers: { Location: `${endpoint}/elsewhere`, "x-amz-bucket-region": "eu-central-1" } };
  await expect(objectsIn().list()).rejects.toThrow("The bucket is elsewhere (307): set AWS_REGION to eu-central-1.");
  expect(requests).toHaveLength(1);
});

test.each([
  [300, "The bucket is elsewhere (300)."],
  [399, "The bucket is elsewhere (399)."],
  [400, "400 WrongName: No such name."],
  [403, "403 WrongName: No such name."],
])("an answer of %i is reported as one of its kind, and is final", async (status, reason) => {
  answer = () => ({ status, body: "<Error><Code>WrongName</Code><Message>No such name.</Message></Error>" });
  await expect(objectsIn().list()).rejects.toThrow(reason);
  expect(requests).toHaveLength(1);
});

test.each([
  ["nothing is left of it", {}],
  ["what is left of it, if S3 refuses to remove that, is not the reason", { status: 403 }],
])("an upload that fails after the head of a success is a failure, and %s", async (_, removed) => {
  answer = ({ method, url = "" }) => {
    if (url.includes("uploads")) return UPLOAD;
    if (method === "DELETE") return removed;
    return method === "POST" ? { body: FAILURE } : {};
  };
  const uploaded = objectsIn(5).putFile("file.db", file(12));
  await expect(uploaded).rejects.toThrow("S3 did not complete the upload: InternalError.");
  expect(requests.map(({ method }) => method)).toEqual(["POST", "PUT", "PUT", "PUT", "POST", "DELETE"]);
  expect(requests.at(-1)?.url).toBe("/backups/file.db?uploadId=an-upload");
});

test("a file that becomes shorter during its upload is refused", async () => {
  const path = file(12);
  answer = (request) => {
    if (isPart(request)) truncateSync(path, 5);
    return request.url?.includes("uploads") ? UPLOAD : {};
  };
  await expect(objectsIn(5).putFile("file.db", path)).rejects.toThrow("became shorter while it was read");
});

test.each([5, 12])(
  "what has bytes of a file may take longer than other requests: a file of %i bytes",
  async (bytes) => {
    const isLong = ({ method, url = "" }: IncomingMessage) => method === "PUT" || url.includes("uploadId=");
    answer = (request) => (isLong(request) ? { delay: 600 } : UPLOAD);
    const objects = s3Objects(clientWith({}, 1, 300), "", 10);
    await objects.putFile("file.db", file(bytes));
    answer = () => ({ delay: 600 });
    await expect(objects.remove("file.db")).rejects.toThrow("did not answer for 0.3 s");
  },
);

test("the reason names the time that this request had, which may be longer than that of others", async () => {
  answer = () => ({ delay: 900 });
  const client = clientWith({}, 1, 100);
  const request = { method: "PUT", key: "file.db", body: new Uint8Array(1) } as const;
  await expect(client.send({ ...request, timeout: 300 })).rejects.toThrow("did not answer for 0.3 s.");
  await expect(client.send(request)).rejects.toThrow("did not answer for 0.1 s.");
});

test("parts are as large as 10,000 of them must be", async () => {
  states("docs/backups.md", "Let the bucket delete incomplete uploads after a day: a killed service leaves one.");
  answer = (request) => (isPart(request) ? { status: 400 } : UPLOAD);
  await expect(objectsIn(1).putFile("file.db", file(10_001))).rejects.toThrow("400");
  expect(requests.find(isPart)?.headers["content-length"]).toBe("2");
});

const described = (name: string): Backup => ({
  ...{ name, database: "sqlite:/a", cause: "schedule", bytes: 3, sha256: "0".repeat(64), schema: 1 },
  ...{ pets: 1, orders: 2, keys: 3, verifiedAt: 0, problem: null },
});

test("the description of a backup follows its file", async () => {
  const name = backupName("production", 0);
  await s3Backups(objectsIn(), "production").upload(file(3), described(name));
  expect(requests.map(({ method, url = "" }) => [method, url.split("?")[0]])).toEqual([
    ["PUT", `/backups/${name}`],
    ["PUT", `/backups/${descriptionName(name)}`],
  ]);
});

test.each([0, 1, 7, 8, 9, 16, 17, 30])(
  "a list of %i backups has each once, newest first, with its size and its description",
  async (size) => {
    const backups = Array.from({ length: size }, (_, i) => ({
      ...{ name: backupName("production", i * 60_000), at: i * 60_000, bytes: i + 1 },
      isDescribed: i % 3 > 0,
    }));
    const keys = backups.flatMap(({ name, bytes, isDescribed }) => [
      { key: name, bytes },
      ...(isDescribed ? [{ key: descriptionName(name), bytes: 100 }] : []),
    ]);
    const others = [
      { key: "notes.txt", bytes: 1 },
      { key: backupName("staging", 0), bytes: 1 },
    ];
    answer = ({ url = "" }) => {
      const name = /^\/backups\/(.+)\.json/.exec(url)?.[1];
      if (name !== undefined) return { body: JSON.stringify(described(name)) };
      const listed = [...keys, ...others].map(
        ({ key, bytes }) => `<Contents><Key>${key}</Key><Size>${bytes}</Size></Contents>`,
      );
      return { body: `<ListBucketResult>${listed.join("")}</ListBucketResult>` };
    };
    expect(await s3Backups(objectsIn(), "production").list()).toEqual(
      backups.reverse().map(({ name, at, bytes, isDescribed }) => ({
        ...{ name, at, bytes },
        description: isDescribed ? described(name) : undefined,
      })),
    );
  },
);

test("an object that is no backup of the deployment is not asked for", async () => {
  const backups = s3Backups(objectsIn(), "production");
  const others = ["notes.txt", backupName("staging", 0), descriptionName(backupName("production", 0))];
  expect(await Promise.all(others.map((name) => backups.open(name)))).toEqual([undefined, undefined, undefined]);
  expect(requests).toEqual([]);
});

test("a download for which the disk has no room is not begun", async () => {
  const { free = 0 } = (await diskOf(directory)) ?? {};
  answer = () => ({ headers: { "Content-Length": String(free * 2) } });
  const backups = new BackupDirectory(join(directory, "backups"), "production");
  const locations = { directory: backups, s3: s3Backups(objectsIn(), "production") };
  const downloaded = withDownload(locations, backupName("production", 0), () => {});
  await expect(downloaded).rejects.toThrow(`${backups.path} has no room for a file of ${free * 2} bytes.`);
  expect(requests.map(({ method }) => method)).toEqual(["HEAD"]);
  expect(readdirSync(backups.path)).toEqual([]);
});
