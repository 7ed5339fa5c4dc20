// Copy buttons, the place in the navigation, and the outline of a page.

/** Adds a copy button to each block of code that a reader may type: not to what a command prints. */
function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll(".code:not(.output)")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      const text = block.querySelector("code")?.textContent ?? "";
      const isCopied = await navigator.clipboard.writeText(text.trimEnd()).then(
        () => true,
        () => false,
      );
      button.textContent = isCopied ? "Copied" : "Not copied";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 2000);
    });
    block.append(button);
  }
}

/** Scrolls the navigation, and nothing else, to the page that it shows. */
function showPlace() {
  const navigation = document.getElementById("navigation");
  const link = /** @type {HTMLElement | null} */ (navigation?.querySelector("[aria-current]"));
  if (navigation !== null && link !== null) navigation.scrollTop = link.offsetTop - navigation.clientHeight / 2;
}

/** Opens the outline if the window is wide enough, and marks the section that is being read. */
function followOutline() {
  const details = document.querySelector(".outline details");
  if (details === null) return;
  const isWide = matchMedia("(min-width: 76rem)");
  const fit = () => details.toggleAttribute("open", isWide.matches);
  isWide.addEventListener("change", fit);
  fit();

  const links = [...details.querySelectorAll("a")];
  const headings = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
  const mark = () => {
    const passed = headings.filter((heading) => heading !== null && heading.getBoundingClientRect().top < 120).length;
    for (const [i, link] of links.entries()) {
      if (i === passed - 1) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    }
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}

addCopyButtons();
showPlace();
followOutline();
