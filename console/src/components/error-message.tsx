import { ApiError } from "../api/call.ts";
import { Icon } from "./icon.tsx";

/** The message of an error; for a server error also the request id, by which its log entry is found. */
export function ErrorMessage({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const apiError = error instanceof ApiError ? error : undefined;
  return (
    <div class="error-message" role="alert">
      <Icon name="warning" />
      <div>
        <p>{error.message}</p>
        {apiError !== undefined && apiError.status >= 500 && apiError.requestId !== null && (
          <p class="faint">
            Request <code>{apiError.requestId}</code>
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
