/**
 * A server of S3 with an empty bucket, which prints its port: s3rver, behind a check of each request as S3 makes it, and
 * s3rver does not. Arguments: the module of s3rver, a directory, a port, the bucket.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

const [module = "", directory, port, bucket] = process.argv.slice(2);
const SECRET = "S3RVER";
/** How much a request's time may differ, in ms, and what all parts of an upload but the last have at least, in bytes. */
const SKEW = 15 * 60_000;
const LEAST_PART = 5 * 1024 * 1024;

const { default: S3rver } = await import(module);
const configureBuckets = [{ name: bucket }];
const server = new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets });
const behind: number = (await server.run()).port;

/** The sizes and tags of the parts of each upload. */
const uploads = new Map<string, Map<number, { bytes: number; tag: string }>>();

const front = createServer(async (incoming, response) => {
  const body = Buffer.concat(await Array.fromAsync(incoming));
  const refusal = refusalOf(incoming, body);
  if (refusal !== undefined) {
    response.writeHead(refusal === "SignatureDoesNotMatch" ? 403 : 400, { "Content-Type": "application/xml" });
    response.end(`<Error><Code>${refusal}</Code></Error>`);
    return;
  }
  const { method, url, headers } = incoming;
  const forwarded = request({ host: "127.0.0.1", port: behind, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  forwarded.on("error", () => response.destroy());
  forwarded.end(body);
});
front.listen(Number(port), "127.0.0.1", () => {
  const address = front.address();
  console.log(typeof address === "object" ? address?.port : 0);
});

/** The code of the error with which S3 refuses the request, if it does. */
function refusalOf({ method = "", url = "", headers }: IncomingMessage, body: Buffer): string | undefined {
  const [path = "", search = ""] = url.split("?");
  const query = [...new URLSearchParams(search)].sort();
  const { authorization = "" } = headers;
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, id, date, region, signedHeaders = "", signature] = form.exec(authorization) ?? [];
  if (date === undefined || region === undefined) return "AuthorizationHeaderMalformed";
  // s3rver refuses a key that it does not know.
  if (id !== "S3RVER") return undefined;
  const signed = signedHeaders.split(";");
  const mustBeSigned = Object.keys(headers).filter((name) => name === "host" || name.startsWith("x-amz-"));
  if (mustBeSigned.some((name) => !signed.includes(name))) return "AccessDenied";
  const stated = textOf(headers, "x-amz-content-sha256");
  if (stated !== createHash("sha256").update(body).digest("hex")) return "XAmzContentSHA256Mismatch";
  const time = textOf(headers, "x-amz-date");
  const at = Date.parse(time.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (!time.startsWith(date) || !(Math.abs(Date.now() - at) <= SKEW)) return "RequestTimeTooSkewed";
  const canonical = [
    method,
    decodeURIComponent(path).split("/").map(encoded).join("/"),
    query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&"),
    ...signed.map((name) => `${name}:${textOf(headers, name).trim().replace(/ +/g, " ")}`),
    "",
    signedHeaders,
    stated,
  ].join("\n");
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const key = [date, region, "s3", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${SECRET}`);
  if (hmac(key, text).toString("hex") !== signature) return "SignatureDoesNotMatch";
  return refusalOfPart(method, new Map(query), body);
}

/** The parts of an upload are completed in their order, with their tags, and none but the last is small. */
function refusalOfPart(method: string, query: Map<string, string>, body: Buffer): string | undefined {
  const [upload = "", number] = [query.get("uploadId"), query.get("partNumber")];
  if (upload === "") return undefined;
  const parts = uploads.get(upload) ?? new Map();
  uploads.set(upload, parts);
  if (method === "PUT") {
    if (!/^[1-9]\d{0,4}$/.test(number ?? "") || Number(number) > 10_000) return "InvalidArgument";
    parts.set(Number(number), { bytes: body.length, tag: createHash("md5").update(body).digest("hex") });
  }
  if (method !== "POST") return undefined;
  const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
  const numbers = named.map(([, one]) => Number(one));
  if (numbers.some((one, at) => at > 0 && one <= (numbers[at - 1] ?? 0))) return "InvalidPartOrder";
  if (named.some(([, one, tag]) => parts.get(Number(one))?.tag !== tag?.replace(/&#34;|&quot;|"/g, "")))
    return "InvalidPart";
  if (numbers.length !== parts.size) return "InvalidPart";
  return numbers.slice(0, -1).some((one) => (parts.get(one)?.bytes ?? 0) < LEAST_PART) ? "EntityTooSmall" : undefined;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** As S3 writes it in what is signed. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function textOf(headers: IncomingHttpHeaders, name: string): string {
  return String(headers[name] ?? "");
}
