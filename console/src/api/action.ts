import { useState } from "preact/hooks";

/** Something an operator asked for: whether it is under way, and why it was refused. */
export type Action = { isBusy: boolean; error: Error | undefined; run(deed: () => Promise<void>): Promise<void> };

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const run = async (deed: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await deed();
    } catch (failure) {
      setError(failure as Error);
    }
    setBusy(false);
  };
  return { isBusy, error, run };
}
