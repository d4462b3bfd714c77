// A form that takes a while says so, and is sent once: a second press would find its work done.
document.addEventListener("submit", (event) => {
  const button = event.target.querySelector("button[data-busy]");
  if (!button) return;
  if (button.hasAttribute("aria-disabled")) return event.preventDefault();
  button.dataset.label = button.textContent;
  button.setAttribute("aria-disabled", "true");
  button.textContent = button.dataset.busy;
});

// Back to the page as it was left: it can be sent again.
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("button[data-busy][aria-disabled]")) {
    button.removeAttribute("aria-disabled");
    button.textContent = button.dataset.label;
  }
});
