// "Accept what is ticked" counts along.
{
  const form = document.querySelector("form.detail");
  const button = form?.querySelector("button[value=accept]");
  const ticks = form?.querySelectorAll("input[name=line]") ?? [];
  const count = () => {
    const n = [...ticks].filter((one) => one.checked).length;
    button.textContent = (n === 1 ? button.dataset.one : button.dataset.many).replace("{n}", n);
    button.disabled = n === 0;
  };
  if (button?.dataset.many && ticks.length) {
    form.addEventListener("change", count);
    count();
  }
  for (const pen of form?.querySelectorAll("details.pen") ?? []) {
    pen.addEventListener("toggle", () => { if (pen.open) pen.querySelector("textarea").focus(); });
  }
}
// Letter keys, while nothing is typed: they press what says so with data-key.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest?.("textarea, select, input:not([type=checkbox])")) return;
  const found = [...document.querySelectorAll(`.inbox [data-key="${CSS.escape(event.key)}"]`)];
  const near = event.target.closest?.("li");
  const control = found.find((one) => near?.contains(one)) ?? found[0];
  if (!control) return;
  event.preventDefault();
  control.click();
});
