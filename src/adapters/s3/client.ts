import { hash } from "node:crypto";
import { open } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";

/** How long nothing may arrive of an object, in ms, and its least speed, in bytes per ms: that of an upload. */
const STALL_TIMEOUT = 30_000;
const LEAST_SPEED = 70;

/** Reads a short text. @throws Error when it has more than so many bytes, or takes longer (ms) */
async function readText(response: Response, limit: number, timeout: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunksWithin(response, () => timeout)) {
    length += chunk.length;
    if (length > limit) throw new Error(`S3 sent more than ${limit} bytes in place of a short answer.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Reads an object of so many bytes. The reader may take its time: what counts is how long S3 takes.
 * @throws Error when there are more or fewer, or S3 is too slow
 */
async function* chunksOf(response: Response, bytes: number, patience: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of chunksWithin(response, () => patience + length / LEAST_SPEED)) {
    length += chunk.length;
    if (length > bytes) break;
    yield chunk;
  }
  if (length === bytes) return;
  throw new Error(`S3 sent ${length > bytes ? "more" : "fewer"} than the ${bytes} bytes of the object.`);
}

/** `patience`: how long all waiting may have taken so far, in ms. */
async function* chunksWithin(response: Response, patience: () => number): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  let waited = 0;
  try {
    for (;;) {
      const startedAt = performance.now();
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => late.reject(new Error("S3 stopped sending.")), Math.max(0, patience() - waited));
      const read = reader.read().catch((error) => {
        throw new Error(`S3 cut the connection: ${reasonOf(error)}.`);
      });
      const { done, value } = await Promise.race([read, late.promise]).finally(() => clearTimeout(timer));
      waited += performance.now() - startedAt;
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Node's fetch has the reason in the cause; Bun's adds advice in sentences of their own. */
function reasonOf(error: unknown): string {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = reason instanceof Error ? reason.message : String(reason);
  return text.split(". ")[0]?.replace(/[.?]$/, "") ?? "";
}

/** A bucket of S3 or of a compatible service, and who may use it. */
export type S3Bucket = {
  bucket: string;
  /** The base URL of the service; undefined for S3 itself. */
  endpoint: string | undefined;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
};

type S3Request = {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  key?: string;
  query?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
  /** How long the head of the response may take, and a short body, in ms. */
  timeout?: number;
};

/** An answer with a short body. */
type S3Answer = { headers: Headers; text: string };

/** How long a request without much to send may take, in ms. */
const TIMEOUT = 20_000;
/** How often a request is sent, and the pause after the first failure, in ms; each is twice the one before. */
const ATTEMPTS = 4;
const PAUSE = 500;
/** A list of 1,000 objects with long keys has about 1 MB. */
const TEXT_LIMIT = 8 * 1024 * 1024;

/** An answer of S3 that is not a success. */
class S3Error extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Sends signed requests to a bucket. Those that fail for a while are sent again. */
export function s3Client(bucket: S3Bucket, { attempts = ATTEMPTS, timeout: patience = TIMEOUT } = {}) {
  const base = baseUrl(bucket);

  const attempt = async ({ method, key = "", query = {}, body, timeout = patience }: S3Request): Promise<Response> => {
    const { region, accessKeyId, secretAccessKey, sessionToken } = bucket;
    const path = key === "" ? "" : `/${key}`;
    const url = `${base}${path}?${new URLSearchParams(query)}`;
    const signed = await new AwsV4Signer({
      method,
      url,
      region,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: "s3",
      headers: { "X-Amz-Content-Sha256": hash("sha256", body ?? "", "hex") },
    }).sign();
    // The limit is on the head: a large body may take its time, and has a limit of its own between its parts.
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), timeout);
    try {
      const { headers, url: target } = signed;
      return await fetch(target, { method, headers, body: body ?? null, redirect: "manual", signal: waiting.signal });
    } catch (error) {
      const { host } = new URL(base);
      if (waiting.signal.aborted) throw new Error(`${host} did not answer for ${timeout / 1000} s.`);
      throw new Error(`${host} cannot be reached: ${reasonOf(error)}.`);
    } finally {
      clearTimeout(timer);
    }
  };

  const repeat = async <T>(request: S3Request, read: (response: Response) => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      const isLast = tries >= attempts;
      try {
        const response = await attempt(request);
        if (response.ok) return await read(response);
        const error = await errorOf(response, patience);
        if (isLast || !isTemporary(response.status)) throw error;
      } catch (error) {
        if (error instanceof S3Error || isLast) throw error;
      }
      await pause(PAUSE * 2 ** (tries - 1));
    }
  };

  return {
    /** Resolves with a successful answer. @throws S3Error, Error when the service does not answer */
    send: (request: S3Request): Promise<S3Answer> =>
      repeat(request, async (response) => ({
        headers: response.headers,
        text: await readText(response, TEXT_LIMIT, request.timeout ?? patience),
      })),
    /** The same without the body, which the caller reads. */
    open: (request: S3Request): Promise<Response> => repeat(request, async (response) => response),
  };
}

type S3Client = ReturnType<typeof s3Client>;

/** S3 itself has the bucket in the name of the host; compatible services all have it in the path. */
export function baseUrl({ bucket, endpoint, region }: Pick<S3Bucket, "bucket" | "endpoint" | "region">): string {
  if (endpoint !== undefined) return `${endpoint.replace(/\/+$/, "")}/${bucket}`;
  return bucket.includes(".")
    ? `https://s3.${region}.amazonaws.com/${bucket}`
    : `https://${bucket}.s3.${region}.amazonaws.com`;
}

function isTemporary(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** The code and the message of an error response, without the identifiers and signatures that it may repeat. */
async function errorOf(response: Response, timeout: number): Promise<S3Error> {
  const { status } = response;
  const text = await readText(response, TEXT_LIMIT, timeout).catch(() => "");
  const region = response.headers.get("x-amz-bucket-region");
  if (status >= 300 && status < 400) {
    return new S3Error(`The bucket is elsewhere (${status})${region ? `: set AWS_REGION to ${region}` : ""}.`, status);
  }
  const [code, message] = ["Code", "Message"].map(
    (tag) => new RegExp(`<${tag}>([^<]{0,200})</${tag}>`).exec(text)?.[1],
  );
  return new S3Error(`${[status, code].filter(Boolean).join(" ")}${message ? `: ${message}` : "."}`, status);
}

type S3Object = { key: string; bytes: number };

const NOT_FOUND = 404;
/** A part of an upload, in bytes, and the most parts that S3 takes. Memory has one part at a time. */
const PART = 8 * 1024 * 1024;
const MAX_PARTS = 10_000;
/** How long a part may take, in ms: about 70 kB per second. */
const PART_TIMEOUT = 120_000;
/** A list has up to 1,000 objects a page. */
const MAX_PAGES = 100;

export function s3Objects(client: S3Client, prefix: string, partBytes = PART, patience = STALL_TIMEOUT) {
  const find = async (request: S3Request): Promise<S3Answer | undefined> => {
    try {
      return await client.send(request);
    } catch (error) {
      if (error instanceof S3Error && error.status === NOT_FOUND) return undefined;
      throw error;
    }
  };

  return {
    /** All objects, with their keys after the prefix. */
    async list(): Promise<S3Object[]> {
      const found: S3Object[] = [];
      let next: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const query = { "list-type": "2", prefix, ...(next !== undefined && { "continuation-token": next }) };
        const { text } = await client.send({ method: "GET", query });
        for (const [, contents = ""] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          const key = textIn(contents, "Key") ?? "";
          if (key.startsWith(prefix)) {
            found.push({ key: key.slice(prefix.length), bytes: Number(textIn(contents, "Size")) });
          }
        }
        const following = textIn(text, "IsTruncated") === "true" ? textIn(text, "NextContinuationToken") : undefined;
        if (following === undefined || following === next) return found;
        next = following;
      }
      throw new Error("The bucket has more than 100,000 objects there. Give the service a prefix of its own.");
    },

    async put(key: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
      await client.send({ method: "PUT", key: prefix + key, body });
    },

    /** Uploads a file, in parts if it is large. On failure nothing is left of it. */
    async putFile(key: string, path: string): Promise<void> {
      await using file = await open(path, "r");
      const { size } = await file.stat();
      const length = Math.max(partBytes, Math.ceil(size / MAX_PARTS));
      const part = async (from: number) => {
        const buffer = new Uint8Array(Math.min(length, size - from));
        let read = 0;
        while (read < buffer.length) {
          const { bytesRead } = await file.read(buffer, read, buffer.length - read, from + read);
          if (bytesRead === 0) throw new Error(`${path} became shorter while it was read.`);
          read += bytesRead;
        }
        return buffer;
      };
      if (size > length) await putParts(client, prefix + key, { size, length, part });
      else await client.send({ method: "PUT", key: prefix + key, body: await part(0), timeout: PART_TIMEOUT });
    },

    /** Returns undefined if there is no such object. It is requested when the first chunk is. */
    async get(key: string): Promise<{ bytes: number; chunks: AsyncGenerator<Uint8Array> } | undefined> {
      const request = { key: prefix + key };
      const found = await find({ method: "HEAD", ...request });
      if (found === undefined) return undefined;
      const bytes = Number(found.headers.get("Content-Length") ?? Number.NaN);
      if (!Number.isSafeInteger(bytes)) throw new Error("S3 does not say how many bytes the object has.");
      const chunks = async function* () {
        yield* chunksOf(await client.open({ method: "GET", ...request }), bytes, patience);
      };
      return { bytes, chunks: chunks() };
    },

    /** Returns undefined if there is no such object. */
    async getText(key: string): Promise<string | undefined> {
      return (await find({ method: "GET", key: prefix + key }))?.text;
    },

    async remove(key: string): Promise<void> {
      await client.send({ method: "DELETE", key: prefix + key });
    },
  };
}

export type S3Objects = ReturnType<typeof s3Objects>;

/** A file in parts of `length` bytes; `part` reads the one that begins at a place. */
type FileInParts = { size: number; length: number; part: (from: number) => Promise<Uint8Array<ArrayBuffer>> };

async function putParts(client: S3Client, key: string, { size, length, part }: FileInParts): Promise<void> {
  const begun = await client.send({ method: "POST", key, query: { uploads: "" } });
  const uploadId = textIn(begun.text, "UploadId");
  if (uploadId === undefined) throw new Error("S3 did not begin the upload.");
  try {
    const tags: string[] = [];
    for (let from = 0; from < size; from += length) {
      const query = { partNumber: String(tags.length + 1), uploadId };
      const body = await part(from);
      const { headers } = await client.send({ method: "PUT", key, query, body, timeout: PART_TIMEOUT });
      tags.push(headers.get("ETag") ?? "");
    }
    const parts = tags.map((tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`);
    const body = new TextEncoder().encode(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
    // S3 may report a failure after the head of a success.
    const { text } = await client.send({ method: "POST", key, query: { uploadId }, body, timeout: PART_TIMEOUT });
    if (text.includes("<Error>")) throw new Error(`S3 did not complete the upload: ${textIn(text, "Code")}.`);
  } catch (error) {
    await client.send({ method: "DELETE", key, query: { uploadId } }).catch(() => {});
    throw error;
  }
}

/** The text of the first element of this name. Our keys and the identifiers of S3 have no characters that XML escapes. */
function textIn(xml: string, tag: string): string | undefined {
  return new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
