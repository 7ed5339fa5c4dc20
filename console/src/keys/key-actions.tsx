import { useState } from "preact/hooks";
import type { Key } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { ChangeExpiry } from "./change-expiry.tsx";
import { ChangePlan } from "./change-plan.tsx";
import { RevokeKey } from "./revoke-key.tsx";
import { RotateKey } from "./rotate-key.tsx";
import { UnbanKey } from "./unban-key.tsx";

const dialogs = { plan: ChangePlan, expiry: ChangeExpiry, rotate: RotateKey, unban: UnbanKey, revoke: RevokeKey };

/** The actions that the state of a key allows. A revoked key has none. */
export function KeyActions({ of: key, onDone }: { of: Key; onDone: () => void }) {
  const [open, setOpen] = useState<keyof typeof dialogs>();
  if (key.state === "revoked") return null;
  const Dialog = open === undefined ? undefined : dialogs[open];
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    onDone();
  };
  return (
    <>
      {key.state === "banned" && (
        <Button kind="primary" onClick={() => setOpen("unban")}>
          Unban
        </Button>
      )}
      <Button onClick={() => setOpen("plan")}>Change plan</Button>
      <Button onClick={() => setOpen("expiry")}>Change expiry</Button>
      <Button onClick={() => setOpen("rotate")}>Rotate</Button>
      <Button kind="danger" onClick={() => setOpen("revoke")}>
        Revoke
      </Button>
      {Dialog !== undefined && <Dialog of={key} onClose={close} onDone={done} />}
    </>
  );
}
