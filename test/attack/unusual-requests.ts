/** Requests that are unusual on the wire, and the statuses of their answers. */

const PET = '{"name":"Rex","categoryId":1}';
const SIZE = PET.length.toString(16);
const KIB = 1024;

/**
 * `bytes`: of the requests, with these headers of a client with a key. `statuses`: of all answers. `isClosed`: whether the
 * connection ends with the last one.
 */
export type UnusualRequest = { name: string; bytes: string; statuses: number[]; isClosed?: boolean };

/** `headers`: the lines of Host and Authorization. */
export function unusualRequests(headers: string): UnusualRequest[] {
  const line = (text: string, fields = "") => `${text} HTTP/1.1\r\n${headers}${fields}\r\n`;
  const json = "Content-Type: application/json\r\n";
  const post = `${line("POST /v1/pets", `${json}Content-Length: ${PET.length}\r\n`)}${PET}`;
  const chunked = (rest: string) =>
    `${line("POST /v1/pets", `${json}Transfer-Encoding: chunked\r\n`)}${SIZE}\r\n${PET}\r\n${rest}`;
  const get = line("GET /v1/pets?limit=1");
  const remove = line("DELETE /v1/pets/999999999");
  const mixed = [post, get, line("HEAD /livez"), remove, chunked("0\r\n\r\n"), line("PUT /v1/pets")];
  const statuses = [201, 200, 200, 404, 201, 405];
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
  const pipelined = (count: number): UnusualRequest => ({
    name: `${count} requests at once`,
    // A HEAD among them has no body: the requests behind it are not read as one.
    bytes: upTo(count)
      .map((i) => (i % 6 === 2 ? get : (mixed[i % 6] ?? "")))
      .join(""),
    statuses: upTo(count).map((i) => statuses[i % 6] ?? 0),
  });
  const fields = (count: number) =>
    upTo(count)
      .map((i) => `X-${i}: a\r\n`)
      .join("");

  return [
    { name: "a trailer", bytes: chunked("0\r\nX-Checksum: abc\r\n\r\n"), statuses: [201] },
    { name: "several trailers", bytes: chunked("0\r\nX-A: a\r\nX-B: b\r\nX-C:\r\n\r\n"), statuses: [201] },
    { name: "a trailer, and a request behind it", bytes: chunked("0\r\nX-A: a\r\n\r\n") + get, statuses: [201, 200] },
    {
      name: "a trailer that frames",
      bytes: chunked("0\r\nContent-Length: 5\r\n\r\n"),
      statuses: [400],
      isClosed: true,
    },
    {
      name: "a trailer without an end",
      bytes: chunked(`0\r\nX-A: ${"a".repeat(40 * KIB)}`),
      statuses: [400],
      isClosed: true,
    },
    { name: "a trailer that is none", bytes: chunked("0\r\nnone\r\n\r\n"), statuses: [400], isClosed: true },
    { name: "bytes behind the last chunk", bytes: chunked("0\r\nX-A: \x01\r\n\r\n"), statuses: [400], isClosed: true },
    { name: "an extension of a chunk", bytes: chunked("0;a=b\r\n\r\n"), statuses: [201] },
    { name: "CRLF behind a body", bytes: `${post}\r\n`, statuses: [201] },
    { name: "CRLF behind a body, and a request", bytes: `${post}\r\n${get}`, statuses: [201, 200] },
    { name: "CRLF behind chunks", bytes: chunked("0\r\n\r\n\r\n"), statuses: [201] },
    { name: "CRLF before a request line", bytes: `\r\n${post}`, statuses: [201] },
    { name: "garbage behind a body", bytes: `${post}garbage\r\n\r\n`, statuses: [201, 400], isClosed: true },
    { name: "a request behind a removal", bytes: remove + post, statuses: [404, 201] },
    ...[3, 10, 25, 50].map(pipelined),
    { name: "creations at once", bytes: post.repeat(20), statuses: upTo(20).map(() => 201) },
    { name: "a method in lower case", bytes: line("post /v1/pets"), statuses: [405] },
    { name: "a method in lower case, with a body", bytes: post.replace("POST", "post") + get, statuses: [405, 200] },
    { name: "an unknown method", bytes: line("FOO /v1/pets") + post, statuses: [405, 201] },
    { name: "an unknown method, without a key", bytes: "FOO /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n", statuses: [401] },
    { name: "a long method", bytes: line(`${"A".repeat(500)} /v1/pets`), statuses: [405] },
    { name: "TRACE", bytes: line("TRACE /v1/pets"), statuses: [405] },
    { name: "CONNECT", bytes: line("CONNECT pets.test:443"), statuses: [405], isClosed: true },
    { name: "OPTIONS *", bytes: line("OPTIONS *"), statuses: [405] },
    { name: "OPTIONS *, without a key", bytes: "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", statuses: [401] },
    { name: "GET *", bytes: line("GET *"), statuses: [400], isClosed: true },
    {
      name: "an upgrade",
      bytes: line("GET /v1/pets", "Connection: Upgrade\r\nUpgrade: websocket\r\n") + get,
      statuses: [200, 200],
    },
    {
      name: "an upgrade, with a body",
      bytes: post.replace("\r\n", "\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"),
      statuses: [201],
    },
    { name: "Expect", bytes: post.replace("\r\n", "\r\nExpect: 100-continue\r\n"), statuses: [201] },
    { name: "an unknown Expect", bytes: post.replace("\r\n", "\r\nExpect: something\r\n"), statuses: [201] },
    { name: "HTTP/1.0", bytes: post.replace("HTTP/1.1", "HTTP/1.0"), statuses: [201], isClosed: true },
    {
      name: "HTTP/1.0 with chunks",
      bytes: chunked("0\r\n\r\n").replace("HTTP/1.1", "HTTP/1.0"),
      statuses: [400],
      isClosed: true,
    },
    ...["RTSP/1.0", "RTSP/1.1", "ICE/1.0", "HTTPS/1.1"].map((protocol) => ({
      name: protocol,
      bytes: post.replace("HTTP/1.1", protocol),
      statuses: [400],
      isClosed: true,
    })),
    { name: "HTTP/2.0", bytes: post.replace("HTTP/1.1", "HTTP/2.0"), statuses: [505], isClosed: true },
    { name: "HTTP/1.2", bytes: post.replace("HTTP/1.1", "HTTP/1.2"), statuses: [505], isClosed: true },
    { name: "HTTP/0.9", bytes: post.replace("HTTP/1.1", "HTTP/0.9"), statuses: [505], isClosed: true },
    { name: "the preface of HTTP/2", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", statuses: [505], isClosed: true },
    { name: "250 headers", bytes: post.replace("\r\n", `\r\n${fields(250)}`), statuses: [201] },
    { name: "a head of 15 KiB", bytes: post.replace("\r\n", `\r\nX-A: ${"a".repeat(14 * KIB)}\r\n`), statuses: [201] },
    {
      name: "a head of 17 KiB",
      bytes: post.replace("\r\n", `\r\nX-A: ${"a".repeat(17 * KIB)}\r\n`),
      statuses: [431],
      isClosed: true,
    },
    {
      name: "a target of 17 KiB",
      bytes: line(`GET /v1/pets?${"a".repeat(17 * KIB)}`),
      statuses: [431],
      isClosed: true,
    },
    { name: "no Host", bytes: post.replace(/Host: .*\r\n/, ""), statuses: [400], isClosed: true },
    { name: "two Hosts", bytes: post.replace("\r\n", "\r\nHost: other\r\n"), statuses: [400], isClosed: true },
    { name: "two lengths", bytes: post.replace("\r\n", "\r\nContent-Length: 5\r\n"), statuses: [400], isClosed: true },
    {
      name: "a length and chunks",
      bytes: chunked("0\r\n\r\n").replace("\r\n", "\r\nContent-Length: 5\r\n"),
      statuses: [400],
      isClosed: true,
    },
    { name: "a folded header", bytes: post.replace("\r\n", "\r\nX-A: a\r\n b\r\n"), statuses: [400], isClosed: true },
    { name: "a bare LF", bytes: post.replace("\r\n", "\nX-A: a\r\n"), statuses: [400], isClosed: true },
    {
      name: "a body of 65 KiB",
      bytes: `${line("POST /v1/pets", `${json}Content-Length: ${65 * KIB}\r\n`)}${" ".repeat(65 * KIB)}`,
      statuses: [413],
      isClosed: true,
    },
    {
      name: "chunks of 65 KiB",
      bytes: `${chunked(`${(65 * KIB).toString(16)}\r\n${" ".repeat(65 * KIB)}\r\n0\r\n\r\n`)}`,
      statuses: [413],
      isClosed: true,
    },
    {
      name: "a removal with a body",
      bytes: `${line("DELETE /v1/pets/999999999", `Content-Length: ${PET.length}\r\n`)}${PET}${get}`,
      statuses: [404, 200],
    },
    {
      name: "a removal with a malformed body",
      bytes: `${line("DELETE /v1/pets/1", "Transfer-Encoding: chunked\r\n")}zz\r\n`,
      statuses: [400],
      isClosed: true,
    },
    {
      name: "a creation with a body in another coding",
      bytes: chunked("0\r\n\r\n").replace("chunked", "gzip, chunked"),
      statuses: [400],
      isClosed: true,
    },
    { name: "no request", bytes: "\x16\x03\x01\x02\r\n\r\n", statuses: [400], isClosed: true },
  ];
}
