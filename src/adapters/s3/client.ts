import { setTimeout as pause } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { readText, reasonOf } from "./body.ts";

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

export type S3Request = {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  key?: string;
  query?: Record<string, string>;
  body?: Uint8Array<ArrayBuffer>;
  /** How long the head of the response may take, and a short body, in ms. */
  timeout?: number;
};

/** An answer with a short body. */
export type S3Answer = { headers: Headers; text: string };

/** How long a request without much to send may take, in ms. */
const TIMEOUT = 20_000;
/** How often a request is sent, and the pause after the first failure, in ms; each is twice the one before. */
const ATTEMPTS = 4;
const PAUSE = 500;
/** A list of 1,000 objects with long keys has about 1 MB. */
const TEXT_LIMIT = 8 * 1024 * 1024;

/** An answer of S3 that is not a success. */
export class S3Error extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Sends signed requests to a bucket. Those that fail for a while are sent again. */
export class S3Client {
  readonly #bucket: S3Bucket;
  readonly #base: string;
  readonly #attempts: number;
  readonly #timeout: number;

  constructor(bucket: S3Bucket, { attempts = ATTEMPTS, timeout = TIMEOUT } = {}) {
    this.#bucket = bucket;
    this.#base = baseUrl(bucket);
    this.#attempts = attempts;
    this.#timeout = timeout;
  }

  /** Resolves with a successful answer. @throws S3Error, Error when the service does not answer */
  send(request: S3Request): Promise<S3Answer> {
    return this.#repeat(request, async (response) => ({
      headers: response.headers,
      text: await readText(response, TEXT_LIMIT, request.timeout ?? this.#timeout),
    }));
  }

  /** The same without the body, which the caller reads. */
  open(request: S3Request): Promise<Response> {
    return this.#repeat(request, async (response) => response);
  }

  async #repeat<T>(request: S3Request, read: (response: Response) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= this.#attempts;
      try {
        const response = await this.#attempt(request);
        if (response.ok) return await read(response);
        const error = await errorOf(response, this.#timeout);
        if (isLast || !isTemporary(response.status)) throw error;
      } catch (error) {
        if (error instanceof S3Error || isLast) throw error;
      }
      await pause(PAUSE * 2 ** (attempt - 1));
    }
  }

  async #attempt({ method, key = "", query = {}, body, timeout = this.#timeout }: S3Request): Promise<Response> {
    const { region, accessKeyId, secretAccessKey, sessionToken } = this.#bucket;
    const path = key === "" ? "" : `/${key}`;
    const url = `${this.#base}${path}?${new URLSearchParams(query)}`;
    const signed = await new AwsV4Signer({
      ...{ method, url, region, accessKeyId, secretAccessKey },
      ...(sessionToken !== undefined && { sessionToken }),
      service: "s3",
      headers: { "X-Amz-Content-Sha256": await sha256(body ?? new Uint8Array()) },
    }).sign();
    // The limit is on the head: a large body may take its time, and has a limit of its own between its parts.
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), timeout);
    try {
      const { headers, url: target } = signed;
      return await fetch(target, { method, headers, body: body ?? null, redirect: "manual", signal: waiting.signal });
    } catch (error) {
      const { host } = new URL(this.#base);
      if (waiting.signal.aborted) throw new Error(`${host} did not answer for ${timeout / 1000} s.`);
      throw new Error(`${host} cannot be reached: ${reasonOf(error)}.`);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** S3 itself has the bucket in the name of the host; compatible services all have it in the path. */
function baseUrl({ bucket, endpoint, region }: S3Bucket): string {
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

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}
