import { consume } from "./attempts.ts";
import type { Services } from "./operations/operation.ts";

type Parts = Pick<Services, "audit" | "clock" | "signIns" | "anonymous" | "failureEntries">;

/** `pets_oper_` and four random characters. */
const PREFIX_LENGTH = 14;

/** An attempt to sign in with `token`. Until it succeeds it counts as failed, so that attempts at once count too. */
export class SignInAttempt {
  readonly #parts: Parts;
  readonly #address: string;
  readonly #name: string;

  /** @throws rate_limit_exceeded */
  constructor(parts: Parts, address: string, token: string) {
    this.#parts = parts;
    this.#address = address;
    this.#name = `${address} ${token.slice(0, PREFIX_LENGTH)}`;
    consume(parts.signIns, this.#name);
  }

  succeeded(): void {
    this.#parts.signIns.forget(this.#name);
  }

  /** Takes back the attempt: the token could not be checked. @throws the cause */
  withdraw(cause: unknown): never {
    this.#parts.signIns.refund(this.#name);
    throw cause;
  }

  /** Logs the failure, without the token, unless there were many this minute. @throws rate_limit_exceeded */
  async failed(requestId: string): Promise<void> {
    const { audit, clock, anonymous, failureEntries } = this.#parts;
    if (failureEntries.take("").outcome === "allowed") {
      await audit.append({
        at: clock(),
        operator: { name: "unknown" },
        action: "session.fail",
        after: { address: this.#address },
        requestId,
      });
    }
    consume(anonymous, this.#address);
  }
}
