import { useState } from "preact/hooks";

/** A change that an operator asked for: whether its request is pending, and the error of the last attempt. */
export type Action = { isPending: boolean; error: Error | undefined; run(change: () => Promise<void>): Promise<void> };

export function useAction(): Action {
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<Error>();
  const run = async (change: () => Promise<void>) => {
    setPending(true);
    setError(undefined);
    try {
      await change();
    } catch (failure) {
      setError(failure as Error);
    }
    setPending(false);
  };
  return { isPending, error, run };
}
