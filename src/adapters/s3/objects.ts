import { open } from "node:fs/promises";
import { chunksOf } from "./body.ts";
import { type S3Client, S3Error, type S3Request } from "./client.ts";

/** An object of a bucket. */
export type S3Object = { key: string; bytes: number };

const NOT_FOUND = 404;
/** A part of an upload, in bytes, and the most parts that S3 takes. Memory has one part at a time. */
const PART = 8 * 1024 * 1024;
const MAX_PARTS = 10_000;
/** How long a part may take, in ms: about 70 kB per second. */
const PART_TIMEOUT = 120_000;
/** A list has up to 1,000 objects a page. */
const MAX_PAGES = 100;

/** The objects of a bucket whose keys begin with a prefix. */
export class S3Objects {
  readonly #client: S3Client;
  readonly #prefix: string;
  readonly #partBytes: number;

  constructor(client: S3Client, prefix: string, partBytes = PART) {
    this.#client = client;
    this.#prefix = prefix;
    this.#partBytes = partBytes;
  }

  /** All objects, with their keys after the prefix. */
  async list(): Promise<S3Object[]> {
    const found: S3Object[] = [];
    let next: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = {
        "list-type": "2",
        prefix: this.#prefix,
        ...(next !== undefined && { "continuation-token": next }),
      };
      const { text } = await this.#client.send({ method: "GET", query });
      for (const [, contents = ""] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
        const key = textIn(contents, "Key") ?? "";
        if (key.startsWith(this.#prefix)) {
          found.push({ key: key.slice(this.#prefix.length), bytes: Number(textIn(contents, "Size")) });
        }
      }
      const following = textIn(text, "IsTruncated") === "true" ? textIn(text, "NextContinuationToken") : undefined;
      if (following === undefined || following === next) return found;
      next = following;
    }
    throw new Error("The bucket has more than 100,000 objects there. Give the service a prefix of its own.");
  }

  async put(key: string, body: Uint8Array<ArrayBuffer>, timeout?: number): Promise<void> {
    await this.#client.send({
      method: "PUT",
      key: this.#prefix + key,
      body,
      ...(timeout !== undefined && { timeout }),
    });
  }

  /** Uploads a file, in parts if it is large. On failure nothing is left of it. */
  async putFile(key: string, path: string): Promise<void> {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    const length = Math.max(this.#partBytes, Math.ceil(size / MAX_PARTS));
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
    if (size <= length) return await this.put(key, await part(0), PART_TIMEOUT);
    await this.#putParts(this.#prefix + key, size, length, part);
  }

  /** Returns undefined if there is no such object. It is requested when the first chunk is. */
  async get(key: string): Promise<{ bytes: number; chunks: AsyncGenerator<Uint8Array> } | undefined> {
    const request = { key: this.#prefix + key };
    const found = await this.#find({ method: "HEAD", ...request });
    if (found === undefined) return undefined;
    const bytes = Number(found.headers.get("Content-Length") ?? Number.NaN);
    if (!Number.isSafeInteger(bytes)) throw new Error("S3 does not say how many bytes the object has.");
    const client = this.#client;
    const chunks = async function* () {
      yield* chunksOf(await client.open({ method: "GET", ...request }), bytes);
    };
    return { bytes, chunks: chunks() };
  }

  /** Returns undefined if there is no such object. */
  async getText(key: string): Promise<string | undefined> {
    return (await this.#find({ method: "GET", key: this.#prefix + key }))?.text;
  }

  async remove(key: string): Promise<void> {
    await this.#client.send({ method: "DELETE", key: this.#prefix + key });
  }

  async #find(request: S3Request) {
    try {
      return await this.#client.send(request);
    } catch (error) {
      if (error instanceof S3Error && error.status === NOT_FOUND) return undefined;
      throw error;
    }
  }

  async #putParts(
    key: string,
    size: number,
    length: number,
    part: (from: number) => Promise<Uint8Array<ArrayBuffer>>,
  ): Promise<void> {
    const client = this.#client;
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
}

/** The text of the first element of this name. Our keys and the identifiers of S3 have no characters that XML escapes. */
function textIn(xml: string, tag: string): string | undefined {
  return new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
