// Whoever has chosen no time zone has the browser's.
{
  const body = new FormData(document.querySelector(".foot form"));
  body.set("time_zone", Intl.DateTimeFormat().resolvedOptions().timeZone);
  fetch(document.currentScript.dataset.url, { method: "POST", body });
}
