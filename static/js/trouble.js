// A request that failed says so in the messages region, which screen readers announce.
const tell = () => {
  const region = document.getElementById("messages");
  if (!region) return;
  const note = document.createElement("p");
  note.className = "note error";
  note.textContent = document.body.dataset.trouble;
  region.replaceChildren(note);
};
document.addEventListener("htmx:responseError", tell);
document.addEventListener("htmx:sendError", tell);
