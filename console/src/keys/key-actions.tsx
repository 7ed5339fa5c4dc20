import { useState } from "preact/hooks";
import type { Key } from "../api/responses.ts";
import { Button } from "../components/button.tsx";
import { deployment } from "../deployment.ts";
import { ChangeExpiry } from "./change-expiry.tsx";
import { ChangeOwner } from "./change-owner.tsx";
import { ChangePlan } from "./change-plan.tsx";
import { ChangeScopes } from "./change-scopes.tsx";
import { DisableKey } from "./disable-key.tsx";
import { EnableKey } from "./enable-key.tsx";
import { EndGrace } from "./end-grace.tsx";
import { EndRehearsal } from "./end-rehearsal.tsx";
import { RehearseKey } from "./rehearse-key.tsx";
import { RenameKey } from "./rename-key.tsx";
import { RevokeKey } from "./revoke-key.tsx";
import { RotateKey } from "./rotate-key.tsx";
import { UnbanKey } from "./unban-key.tsx";

const dialogs = {
  rename: RenameKey,
  owner: ChangeOwner,
  plan: ChangePlan,
  scopes: ChangeScopes,
  expiry: ChangeExpiry,
  rotate: RotateKey,
  grace: EndGrace,
  disable: DisableKey,
  enable: EnableKey,
  unban: UnbanKey,
  rehearse: RehearseKey,
  endRehearsal: EndRehearsal,
  revoke: RevokeKey,
};

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
      {key.disabledAt !== null && (
        <Button kind="primary" onClick={() => setOpen("enable")}>
          Enable
        </Button>
      )}
      <Button onClick={() => setOpen("rename")}>Rename</Button>
      <Button onClick={() => setOpen("owner")}>Change owner</Button>
      <Button onClick={() => setOpen("plan")}>Change plan</Button>
      <Button onClick={() => setOpen("scopes")}>Change scopes</Button>
      <Button onClick={() => setOpen("expiry")}>Change expiry</Button>
      <Button onClick={() => setOpen("rotate")}>Rotate</Button>
      {key.earlierSecrets.length > 0 && <Button onClick={() => setOpen("grace")}>End old secret</Button>}
      {deployment === "staging" && <Button onClick={() => setOpen("rehearse")}>Rehearse</Button>}
      {key.simulation !== null && <Button onClick={() => setOpen("endRehearsal")}>End rehearsal</Button>}
      {key.disabledAt === null && (
        <Button kind="danger" onClick={() => setOpen("disable")}>
          Disable
        </Button>
      )}
      <Button kind="danger" onClick={() => setOpen("revoke")}>
        Revoke
      </Button>
      {Dialog !== undefined && <Dialog of={key} onClose={close} onDone={done} />}
    </>
  );
}
