import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { parseAnswers, type WireAnswer } from "../attack/wire.ts";
import { kill } from "./kill.ts";

/** A proxy in front of the service, with TLS on loopback, in its own process. */
export class TlsProxy {
  readonly url: string;
  /** Where it redirects to HTTPS. */
  readonly plainUrl: string;
  /** The certificate to trust. */
  readonly certificate: string;
  readonly #process: ChildProcess;

  constructor(port: number, plainPort: number, certificate: string, child: ChildProcess) {
    this.url = `https://localhost:${port}`;
    this.plainUrl = `http://localhost:${plainPort}`;
    this.certificate = certificate;
    this.#process = child;
  }

  /** Whether a service behind it says that it is ready. */
  async isReady(): Promise<boolean> {
    const answer = await this.ask("/readyz").catch(() => undefined);
    return answer?.status === 200;
  }

  ask(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.url + path, { ...init, tls: { ca: this.certificate } });
  }

  /** A connection for requests that are written by hand. */
  async open(): Promise<TLSSocket> {
    const { port } = new URL(this.url);
    const socket = connect({ port: Number(port), host: "127.0.0.1", servername: "localhost", ca: this.certificate });
    await once(
      socket.on("error", () => {}),
      "secureConnect",
    );
    return socket;
  }

  /** The first complete response to these bytes. */
  async answerTo(bytes: string): Promise<WireAnswer | undefined> {
    const socket = await this.open();
    let received = "";
    socket.setEncoding("latin1").write(Buffer.from(bytes, "latin1"));
    for await (const text of socket) {
      received += text;
      const [answer] = parseAnswers(received, "GET").answers;
      if (answer !== undefined) return answer;
    }
    return parseAnswers(received, "GET", true).answers[0];
  }

  stop(): Promise<void> {
    return kill(this.#process);
  }
}
