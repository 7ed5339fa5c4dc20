import type { Key } from "../api/answers.ts";
import { Fact, Facts } from "../parts/facts.tsx";
import { Moment } from "../parts/moment.tsx";
import { Panel } from "../parts/page.tsx";
import { planName, scopes } from "./words.ts";

export function KeyFacts({ of: key }: { of: Key }) {
  return (
    <Panel title="Key">
      <Facts>
        <Fact name="Plan">{planName(key.plan)}</Fact>
        <Fact name="May">
          {scopes
            .filter(([scope]) => key.scopes.includes(scope))
            .map(([, words]) => words.toLowerCase())
            .join(", ")}
        </Fact>
        <Fact name="Secret ends in">
          <code>{key.lastFour}</code>
        </Fact>
        <Fact name="Created">
          <Moment at={key.createdAt} />
        </Fact>
        <Fact name="Last used">
          <Moment at={key.lastUsedAt} as="ago" />
        </Fact>
        <Fact name="Expires">
          <Moment at={key.expiresAt} />
        </Fact>
        {key.revokedAt !== null && (
          <Fact name="Revoked">
            <Moment at={key.revokedAt} />
          </Fact>
        )}
      </Facts>
    </Panel>
  );
}
