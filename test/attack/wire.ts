/** A raw response. Header names are case-insensitive; the body is Latin-1. */
export type WireAnswer = { status: number; headers: Headers; body: string };

/** The complete responses in a stream of HTTP/1.1, and the bytes after them. */
type Parsed = { answers: WireAnswer[]; rest: string };

/**
 * Parses a stream of responses to requests with this method, including interim ones (1xx). A body without a length ends
 * with the stream. @throws for invalid HTTP
 */
export function parseAnswers(text: string, method: string, isEnded = false): Parsed {
  const answers: WireAnswer[] = [];
  let rest = text;
  for (;;) {
    const head = /^HTTP\/1\.[01] (\d{3})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest);
    if (head === null) {
      if (rest.includes("\r\n\r\n")) throw new Error(`this is no HTTP answer: ${JSON.stringify(rest.slice(0, 200))}`);
      return { answers, rest };
    }
    const [whole, status = "", lines = ""] = head;
    const headers = new Headers(lines.split("\r\n").filter(Boolean).map(splitHeader));
    const body = bodyOf(rest.slice(whole.length), Number(status), headers, method, isEnded);
    if (body === undefined) return { answers, rest };
    answers.push({ status: Number(status), headers, body: body.content });
    rest = rest.slice(whole.length + body.length);
  }
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

/** The body that begins here, and its length with framing; undefined while it is incomplete. */
function bodyOf(text: string, status: number, headers: Headers, method: string, isEnded: boolean) {
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return { content: "", length: 0 };
  if (headers.get("Transfer-Encoding") === "chunked") return chunkedBodyOf(text);
  const length = Number(headers.get("Content-Length") ?? (isEnded ? text.length : Number.POSITIVE_INFINITY));
  return text.length < length ? undefined : { content: text.slice(0, length), length };
}

function chunkedBodyOf(text: string): { content: string; length: number } | undefined {
  let content = "";
  let at = 0;
  for (;;) {
    const line = /^([0-9a-f]+)\r\n/i.exec(text.slice(at, at + 20));
    if (line === null) return undefined;
    const size = Number.parseInt(line[1] ?? "", 16);
    const start = at + line[0].length;
    if (text.length < start + size + 2) return undefined;
    content += text.slice(start, start + size);
    at = start + size + 2;
    if (size === 0) return { content, length: at };
  }
}
