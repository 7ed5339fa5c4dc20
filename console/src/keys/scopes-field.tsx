import { type Scope, scopes } from "../../../src/domain/keys/key.ts";
import { scopeNames } from "./labels.ts";

export function ScopesField({ value, onChange }: { value: Scope[]; onChange: (value: Scope[]) => void }) {
  const toggle = (scope: Scope) => onChange(scopes.filter((one) => (one === scope) !== value.includes(one)));
  return (
    <fieldset class="checks">
      <legend>Scopes</legend>
      {scopes.map((scope) => (
        <label key={scope}>
          <input type="checkbox" checked={value.includes(scope)} onChange={() => toggle(scope)} />
          <span>
            {scopeNames[scope]} <code>{scope}</code>
          </span>
        </label>
      ))}
      {value.length === 0 && (
        <p class="hint" role="status">
          Choose at least one scope.
        </p>
      )}
    </fieldset>
  );
}
