// A button that copies a text. Without a clipboard (plain http) it selects the text instead.
const offer = () => {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
};
offer();
document.addEventListener("htmx:load", offer);
document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  const text = document.querySelector(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = button.dataset.done;
  } catch {
    getSelection().selectAllChildren(text);
  }
});
