// Asks again every two seconds for what is still running; rests while the tab is hidden.
// A finished fragment comes without [data-poll], and the asking ends.
setInterval(() => {
  if (document.hidden) return;
  for (const running of document.querySelectorAll("[data-poll]")) htmx.trigger(running, "poll");
}, 2000);
