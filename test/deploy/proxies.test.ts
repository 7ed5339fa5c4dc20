/** What the files for the proxies say, compared with the service, with the files beside them, and with each other. */
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { type Malformation, malformedResponse } from "../../src/adapters/http/malformed.ts";
import { METHODS } from "../../src/adapters/http/request.ts";
import { statusOf } from "../../src/adapters/http/responses.ts";
import { errorCatalogue } from "../../src/domain/errors.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { parseAnswers } from "../attack/wire.ts";
import { read, states } from "../support/markdown.ts";

const HAPROXY = read("deploy/haproxy.cfg");
const CADDY = read("deploy/Caddyfile");
const FILES = readdirSync("deploy/haproxy-errors").map((name) => `deploy/haproxy-errors/${name}`);

const ErrorBody = z.strictObject({ code: z.string(), message: z.string(), status: z.number() });
/** The bodies of errors in a text. */
const bodiesIn = (text: string) =>
  [...text.matchAll(/\{"code":.*?\}/g)].map(([body]) => ErrorBody.parse(JSON.parse(body)));

/** A section of HAProxy's file, by its first line, without comments. */
function sectionOf(first: string): string[] {
  const [section = ""] = HAPROXY.split(/^(?=\w)/m).filter((text) => text.startsWith(`${first}\n`));
  const lines = section.split("\n").map((line) => line.trim());
  return lines.slice(1).filter((line) => line !== "" && !line.startsWith("#"));
}

/** The number in the only place where a text is like this, in ms if a unit follows it. */
function figureIn(text: string, pattern: RegExp): number {
  const found = [...text.matchAll(new RegExp(pattern.source, "gm"))];
  expect([pattern, found.length]).toEqual([pattern, 1]);
  const [, figure = "", unit = ""] = found[0] ?? [];
  return Number(figure) * ({ ms: 1, s: 1_000, m: 60_000 }[unit] ?? 1);
}

/** The longest that a node takes to stop (docs/running.md), in ms. */
const LONGEST_STOP = 10_000;
const SELDOM = "-- its own --";

describe("the proxies' own errors", () => {
  const malformations: Malformation[] = ["syntax", "headers", "timeout"];
  /** What the service says of the same, by code and status. */
  const said = new Map([
    ...Object.entries(errorCatalogue).map(([code, { message }]) => {
      return [`${code} ${statusOf(code as keyof typeof errorCatalogue)}`, message] as const;
    }),
    ...malformations.map((one) => {
      const { code, status, message } = ErrorBody.parse(JSON.parse(String(malformedResponse(one).body)));
      return [`${code} ${status}`, message] as const;
    }),
    // A path of the service may have other methods, and a proxy knows no paths.
    ["method_not_allowed 405", `The service does not know this method. It knows ${METHODS.join(", ")}.`],
  ]);
  /** HAProxy alone is strict about the names of headers. */
  const OWN = "The name of a header may contain only letters, digits and hyphens.";

  test.each(["deploy/haproxy.cfg", "deploy/Caddyfile", ...FILES])("in %s have the texts of the service", (path) => {
    const bodies = bodiesIn(read(path));
    expect(bodies.length).toBeGreaterThan(0);
    for (const { code, message, status } of bodies) {
      if (message === OWN) expect([code, status]).toEqual(["invalid_parameter", 400]);
      else expect([code, status, message]).toEqual([code, status, said.get(`${code} ${status}`) ?? SELDOM]);
    }
  });

  test("are there for each status that HAProxy itself can answer with, and have the status of their text", () => {
    const texts = [...HAPROXY.matchAll(/^ +http-error status (\d+) (.*)$/gm)].map(([, status, rest = ""]) => {
      return { status: Number(status), rest, body: bodiesIn(rest)[0] };
    });
    const files = [...HAPROXY.matchAll(/^ +errorfile (\d+) (\S+)$/gm)].map(([, status, path]) => [
      Number(status),
      path,
    ]);
    expect(files).toEqual([400, 408].map((status) => [status, `haproxy-errors/${status}.http`]));
    expect(texts.map(({ status }) => status)).toEqual([403, 405, 413, 500, 502, 503, 504]);
    for (const { status, rest, body } of texts) {
      expect([status, rest.startsWith("content-type application/json ")]).toEqual([status, true]);
      const isUnavailable = body?.code === "service_unavailable";
      const after = / hdr Retry-After (\d+) /.exec(rest)?.[1];
      const seconds = isUnavailable ? String(errorCatalogue.service_unavailable.retryAfter) : undefined;
      expect([status, after]).toEqual([status, seconds]);
      if (body?.status === status) continue;
      const rules = [...HAPROXY.matchAll(/http-after-response set-status (\d+) .*\{ status ([\d ]+) \}/g)];
      const becomes = rules.find(([, , those = ""]) => those.split(" ").includes(String(status)))?.[1];
      expect([status, Number(becomes)]).toEqual([status, body?.status ?? Number.NaN]);
    }
  });

  test("of HAProxy's parser have the headers of the service's parser", () => {
    for (const [path, malformation] of [
      ["deploy/haproxy-errors/400.http", "syntax"],
      ["deploy/haproxy-errors/408.http", "timeout"],
    ] as const) {
      const { "X-Request-Id": _, ...headers } = malformedResponse(malformation).headers;
      const [answer] = parseAnswers(read(path), "GET").answers;
      const names = Object.keys(headers);
      expect([path, ...names.map((name) => answer?.headers.get(name))]).toEqual([path, ...Object.values(headers)]);
    }
  });

  test("take the place of each answer of a node's parser, which has no body that a client could read", () => {
    const all: Malformation[] = ["syntax", "version", "headers", "timeout"];
    const statuses = all.map((one) => malformedResponse(one).status).filter((status) => status !== 408);
    // A node that closes the connection instead has no status.
    const expected = [...statuses, statusOf("payload_too_large")].sort().join(" ");
    expect(/deny_status 400 if \{ status ([\d ]+) \} !\{ res\.hdr\(X-Request-Id\)/.exec(HAPROXY)?.[1]).toBe(expected);
    expect(/@refused \{\s+status ([\d ]+)\n\s+header !X-Request-Id\n/.exec(CADDY)?.[1]).toBe(expected);
  });

  test("let the methods of the service pass, and name them", () => {
    const allowed = METHODS.join(", ");
    expect(HAPROXY).toContain(`unless { method ${METHODS.join(" ")} }`);
    expect(CADDY).toContain(`@unknown not method ${METHODS.join(" ")}\n`);
    expect(HAPROXY).toContain(`hdr Allow "${allowed}"`);
    expect(CADDY).toContain(`header Allow "${allowed}"`);
  });

  test("of Caddy come with the status of their text", () => {
    const answers = [...CADDY.matchAll(/respond `(.*)` (\d+)$/gm)];
    expect(answers).toHaveLength(5);
    for (const [, body = "", status] of answers) expect(bodiesIn(body)[0]?.status).toBe(Number(status));
    const after = figureIn(CADDY, /header Retry-After (\d+)$/);
    expect(after).toBe(Number(errorCatalogue.service_unavailable.retryAfter));
  });
});

describe("HAProxy", () => {
  const [production, staging] = [sectionOf("backend production"), sectionOf("backend staging")];
  const serversOf = (lines: string[]) => lines.filter((line) => line.startsWith("server "));
  const nodes = [...production, ...staging].flatMap(
    (line) => /^server (\w+) "\$\{(\w+)\}" maxconn (\d+)$/.exec(line) ?? [],
  );

  test("treats both deployments alike, but for their nodes, each of which it has once", () => {
    const others = (lines: string[]) => lines.filter((line) => !line.startsWith("server "));
    expect(others(staging)).toEqual(others(production));
    const variables = (lines: string[]) => serversOf(lines).map((line) => /\$\{(\w+)\}/.exec(line)?.[1]);
    expect(variables(production)).toEqual(["PETSTORE_NODE_ONE", "PETSTORE_NODE_TWO"]);
    expect(variables(staging)).toEqual(["PETSTORE_STAGING_NODE"]);
    expect(sectionOf("frontend public")).toContain("default_backend production");
    // A node that is not ready finishes what it has; one that does not answer is cut off.
    expect(production).toContain("http-check expect error-status L7OKC status 200");
  });

  test("has room for the connections of one address, for those of its nodes, and descriptors for all", () => {
    const most = figureIn(HAPROXY, /^ +maxconn (\d+)$/);
    const toNodes = nodes.flatMap((_, at) => (at % 4 === 3 ? [Number(nodes[at])] : []));
    expect(toNodes).toHaveLength(3);
    expect(Math.min(...toNodes)).toBeGreaterThanOrEqual(100);
    expect(most).toBeGreaterThan(4 * figureIn(HAPROXY, /sc0_conn_cur gt (\d+)/));
    expect(most).toBeGreaterThan(toNodes.reduce((sum, count) => sum + count, 0));
    const { services } = parse(read("deploy/compose.yaml"), { merge: true });
    // Two for each, and some for itself.
    expect(services.haproxy.ulimits.nofile).toBeGreaterThan(2 * most + 1_000);
  });

  test("gives a node that stops the time that it needs for its requests, and tries another one soon", () => {
    const timeout = (name: string) => figureIn(HAPROXY, new RegExp(`^ +timeout ${name} ([\\d.]+)(ms|s)$`));
    expect(timeout("server")).toBeGreaterThan(LONGEST_STOP);
    expect(timeout("http-keep-alive")).toBeWithin(5_000, 60_001);
    // A client that waits as long as the service asks for has its answer before: 503, and after a second again.
    const retries = figureIn(HAPROXY, /^ +retries (\d+)$/);
    expect(retries).toBeWithin(1, 4);
    expect((retries + 1) * timeout("connect")).toBeLessThan(LONGEST_STOP);
    expect(timeout("queue")).toBeWithin(1_000, 5_001);
    expect(HAPROXY).toMatch(/^ +option redispatch 1$/m);
    expect(HAPROXY).toMatch(/^ +retry-on conn-failure$/m);
  });

  test("notices within a second that a node is not ready, uses no such node, and starts without one", () => {
    const [line = ""] = sectionOf("defaults").filter((one) => one.startsWith("default-server "));
    const options = line.split(" ");
    const after = (name: string) => options[options.indexOf(name) + 1];
    expect(options).toContain("check");
    expect([after("fall"), after("rise"), after("on-marked-down")]).toEqual(["1", "1", "shutdown-sessions"]);
    // A name that cannot be resolved yet, as of a container that starts later.
    expect(after("init-addr")?.split(",").slice(-2)).toEqual(["libc", "none"]);
    expect(sectionOf(`resolvers ${after("resolvers")}`)).toContain("parse-resolv-conf");
    expect(figureIn(HAPROXY, /^ +hold valid (\d+)(s)$/)).toBeLessThanOrEqual(5_000);
  });

  test("logs each request and no check of its port, and takes no keys that are too short", () => {
    expect(sectionOf("defaults")).toEqual(
      expect.arrayContaining(["log global", "option httplog", "option dontlognull"]),
    );
    expect(sectionOf("global")).toContain("log stdout format raw local0 info");
    expect(figureIn(HAPROXY, /^ +tune\.ssl\.default-dh-param (\d+)$/)).toBeGreaterThanOrEqual(2_048);
  });

  test("compresses what its page says", () => {
    states("docs/running.md", "It compresses JSON, HTML, CSS, JavaScript and YAML that a node sends uncompressed.");
    const [types = ""] = sectionOf("defaults").filter((line) => line.startsWith("compression type "));
    const names = ["application/json", "text/html", "text/css", "text/javascript", "application/yaml"];
    expect(types.split(" ").slice(2).sort()).toEqual(names.toSorted());
  });

  test("counts the connections of an address as long as they last", () => {
    const [table = ""] = sectionOf("frontend public").filter((line) => line.startsWith("stick-table "));
    expect(table).toMatch(/^stick-table type ipv6 size \d+k expire \d+m store conn_cur$/);
  });
});

describe("Caddy", () => {
  test("listens by default where the ports are published, in front of a node at its default port", () => {
    const { services } = parse(read("deploy/compose.small.yaml"), { merge: true });
    const ports = ["HTTP", "HTTPS"].map((name) => figureIn(CADDY, new RegExp(`\\{\\$PETSTORE_${name}_PORT:(\\d+)\\}`)));
    expect(services.caddy.ports.slice(0, 2)).toEqual(ports.map((port) => `${port}:${port}`));
    expect(CADDY).toContain(`http_port {$PETSTORE_HTTP_PORT:${ports[0]}}`);
    expect(CADDY).toContain(`https_port {$PETSTORE_HTTPS_PORT:${ports[1]}}`);
    const { host, port } = readConfig({});
    expect(CADDY).toContain(`reverse_proxy {$PETSTORE_NODE:${host}:${port}} {`);
    expect(CADDY).toMatch(/^\tadmin off$/m);
  });

  test("waits longer for the answer whether the node is ready than the node takes for it, and asks each second", () => {
    const [, seconds] =
      /reports that it is ready, for up to ([\d.]+) s\b/.exec(HAPROXY.replaceAll(/\n +# /g, " ")) ?? [];
    expect(figureIn(CADDY, /\bhealth_timeout (\d+)(s|ms)$/)).toBeGreaterThan(1_000 * Number(seconds));
    expect(figureIn(CADDY, /\bhealth_interval (\d+)(s|ms)$/)).toBe(1_000);
  });

  test("tries several times while the node restarts", () => {
    const patience = figureIn(CADDY, /\blb_try_duration (\d+)(s|ms)$/);
    expect(10 * figureIn(CADDY, /\blb_try_interval (\d+)(s|ms)$/)).toBeLessThanOrEqual(patience);
    expect(2 * figureIn(CADDY, /\bdial_timeout (\d+)(s|ms)$/)).toBeLessThanOrEqual(patience);
  });

  test("keeps an idle connection of a client for a while, and gives it longer for a response than for a request", () => {
    const of = (name: string) => figureIn(CADDY, new RegExp(`^\\t+${name} (\\d+)(s|ms|m)$`));
    expect(of("idle")).toBeWithin(10_000, 120_001);
    expect(of("write")).toBeGreaterThan(of("read_body"));
    // The node answers first: Caddy says 200 to who is too slow for itself (caddyserver/caddy, context.Canceled).
    const [, node] = /^const TIMEOUT = (\d+);$/m.exec(read("src/adapters/listen/connection.ts")) ?? [];
    expect(of("read_body")).toBeGreaterThan(1_000 * Number(node) + 2_000);
  });

  test("leaves compression to the node", () => {
    expect(CADDY).toMatch(/^\t\t\tcompression off$/m);
    expect(CADDY).not.toMatch(/^\tencode\b/m);
  });
});

test("browsers that called a proxy once use only HTTPS for a year, whichever it is", () => {
  const ages = [HAPROXY, CADDY].flatMap((text) =>
    [...text.matchAll(/Strict-Transport-Security "max-age=(\d+)"/g)].map(([, seconds]) => Number(seconds)),
  );
  expect(ages).toEqual(Array(3).fill(365 * 86_400));
});
