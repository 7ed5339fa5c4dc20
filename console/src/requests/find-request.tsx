import { useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { requestHref } from "../route.ts";

/** A field that takes a pasted request id, also with the name of its header, and shows what the request did. */
export function FindRequest() {
  const [text, setText] = useState("");
  const find = (event: SubmitEvent) => {
    event.preventDefault();
    const requestId = text.replace(/^\s*x-request-id:/i, "").trim();
    if (requestId !== "") location.assign(requestHref(requestId));
  };
  return (
    <search>
      <form class="filters find" onSubmit={find}>
        <label>
          What did my call do?
          <input
            type="search"
            autocomplete="off"
            spellcheck={false}
            placeholder="Paste the X-Request-Id of its response"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <Button icon="search" kind="primary" type="submit">
          Find
        </Button>
      </form>
    </search>
  );
}
