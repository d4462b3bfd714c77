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
