import { Refusal } from "../api/call.ts";
import { Icon } from "./icon.tsx";

/** What went wrong, in the service's own words, with what it takes to find the request in its log. */
export function Failure({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const refusal = error instanceof Refusal ? error : undefined;
  return (
    <div class="failure" role="alert">
      <Icon name="warning" />
      <div>
        <p>{error.message}</p>
        {refusal !== undefined && refusal.status >= 500 && refusal.requestId !== null && (
          <p class="faint">
            Request <code>{refusal.requestId}</code>
          </p>
        )}
      </div>
      {onRetry !== undefined && (
        <button class="button plain" type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
