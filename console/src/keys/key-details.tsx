import { scheduleText } from "../../../src/domain/keys/simulation.ts";
import type { Key } from "../api/responses.ts";
import { DescriptionItem, DescriptionList, Panel } from "../components/page.tsx";
import { Timestamp } from "../components/values.tsx";
import { pluralize } from "../format.ts";
import { planName } from "./labels.ts";
import { OwnerLink } from "./owner-link.tsx";

export function KeyDetails({ of: key }: { of: Key }) {
  return (
    <Panel title="Details">
      <DescriptionList>
        {key.owner !== null && (
          <DescriptionItem term="Owner">
            <OwnerLink of={key.owner} />
          </DescriptionItem>
        )}
        {key.note !== null && <DescriptionItem term="Note">{key.note}</DescriptionItem>}
        <DescriptionItem term="Plan">{planName(key.plan)}</DescriptionItem>
        <DescriptionItem term="Scopes">
          <code>{key.scopes.join(", ")}</code>
        </DescriptionItem>
        <DescriptionItem term="Secret ends in">
          <code>{key.lastFour}</code>
        </DescriptionItem>
        {key.earlierSecrets.map(({ lastFour, expiresAt }) => (
          <DescriptionItem key={lastFour} term="Old secret">
            ends in <code>{lastFour}</code>, works until <Timestamp at={expiresAt} />
          </DescriptionItem>
        ))}
        {key.simulation !== null && (
          <DescriptionItem term="Rehearsal">
            <code>{key.simulation.answer}</code> for {scheduleText(key.simulation)},{" "}
            {pluralize(key.simulation.requests, "request")} since <Timestamp at={key.simulation.startedAt} />
          </DescriptionItem>
        )}
        <DescriptionItem term="Created">
          <Timestamp at={key.createdAt} />
        </DescriptionItem>
        <DescriptionItem term="Last used">
          <Timestamp at={key.lastUsedAt} format="relative" />
        </DescriptionItem>
        <DescriptionItem term="Expires">
          <Timestamp at={key.expiresAt} />
        </DescriptionItem>
        {key.disabledAt !== null && (
          <DescriptionItem term="Disabled">
            <Timestamp at={key.disabledAt} />
          </DescriptionItem>
        )}
        {key.revokedAt !== null && (
          <DescriptionItem term="Revoked">
            <Timestamp at={key.revokedAt} />
          </DescriptionItem>
        )}
      </DescriptionList>
    </Panel>
  );
}
