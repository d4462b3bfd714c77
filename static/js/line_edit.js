// A line that is edited where it stands: Enter or Ctrl+Enter saves, Escape leaves it as it was.
// Without this script its buttons do the same.
{
  const ready = () => {
    const hint = document.querySelector("[data-line-form] [data-hint]");
    if (hint) hint.hidden = false;
  };
  ready();
  document.addEventListener("htmx:load", ready);
  // Whoever leaves the form goes on where they were.
  let line = "";
  document.addEventListener("htmx:beforeRequest", (event) => {
    line = event.target.closest(".blk")?.id ?? "";
  });
  document.addEventListener("htmx:afterSettle", () => {
    const edit = line && document.querySelector(`#${line} .edit`);
    if (edit && document.activeElement === document.body) edit.focus();
    line = "";
  });
  document.addEventListener("keydown", (event) => {
    const form = event.target.closest?.("[data-line-form]");
    // Enter and Escape belong to whoever composes a word (Japanese, Chinese).
    if (!form || event.isComposing || event.target.tagName !== "TEXTAREA") return;
    if (event.key === "Escape") {
      event.preventDefault();
      form.querySelector("[data-cancel]").click();
    }
    const isAsked = event.ctrlKey || event.metaKey || ("single" in form.dataset && !event.shiftKey);
    if (event.key === "Enter" && isAsked) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
}
