import { render } from "preact";
import { App } from "./app.tsx";
import { applyTheme } from "./theme.ts";

applyTheme();
const container = document.getElementById("console");
if (container !== null) render(<App />, container);
