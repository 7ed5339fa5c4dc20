import { render } from "preact";
import { App } from "./app.tsx";
import { showBidiControlsEverywhere } from "./bidi.ts";
import { markDeployment } from "./deployment.ts";
import { applyTheme } from "./theme.ts";

applyTheme();
void markDeployment();
showBidiControlsEverywhere();
const container = document.getElementById("console");
if (container !== null) render(<App />, container);
