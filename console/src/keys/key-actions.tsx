import { useState } from "preact/hooks";
import type { Key } from "../api/answers.ts";
import { Button } from "../parts/button.tsx";
import { ChangeExpiry } from "./change-expiry.tsx";
import { ChangePlan } from "./change-plan.tsx";
import { RevokeKey } from "./revoke-key.tsx";
import { RotateKey } from "./rotate-key.tsx";
import { UnbanKey } from "./unban-key.tsx";

const deeds = { plan: ChangePlan, expiry: ChangeExpiry, rotate: RotateKey, unban: UnbanKey, revoke: RevokeKey };

/** What may be done with a key as it now is. A revoked one stays as it is. */
export function KeyActions({ of: key, onDone }: { of: Key; onDone: () => void }) {
  const [deed, setDeed] = useState<keyof typeof deeds>();
  if (key.state === "revoked") return null;
  const Deed = deed === undefined ? undefined : deeds[deed];
  const done = () => {
    setDeed(undefined);
    onDone();
  };
  return (
    <>
      {key.state === "banned" && (
        <Button kind="primary" onClick={() => setDeed("unban")}>
          Lift ban
        </Button>
      )}
      <Button onClick={() => setDeed("plan")}>Change plan</Button>
      <Button onClick={() => setDeed("expiry")}>Change expiry</Button>
      <Button onClick={() => setDeed("rotate")}>Rotate</Button>
      <Button kind="danger" onClick={() => setDeed("revoke")}>
        Revoke
      </Button>
      {Deed !== undefined && <Deed of={key} onClose={() => setDeed(undefined)} onDone={done} />}
    </>
  );
}
