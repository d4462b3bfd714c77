// Two texts brought together: what is left to choose, the next open place, and nothing lost on
// leaving. Without this script it is a plain form.
const merging = (form) => {
  const said = form.dataset;
  const places = [...form.querySelectorAll("[data-place]")];
  const picked = (place) => place.querySelector("[type=radio]:checked")?.value;
  const open = () => places.filter((place) => !picked(place));
  const next = form.querySelector("[data-next]");
  const tell = () => {
    if (!places.length) return;
    const left = open().length;
    const all = left === 1 ? said.leftOne : said.left.replace("{n}", left);
    form.querySelector(".left").textContent = left ? all : said.done;
    next.hidden = left === 0;
    if (!left) form.querySelector(".open-places [role=alert]")?.remove();
  };
  const go = (place) => {
    place.querySelector("[type=radio]").focus({ preventScroll: true });
    place.scrollIntoView({ block: "start" });
  };
  const step = (back) => {
    const side = back ? Node.DOCUMENT_POSITION_PRECEDING : Node.DOCUMENT_POSITION_FOLLOWING;
    const here = document.activeElement.closest("[data-place]") ?? form;
    const left = back ? open().reverse() : open();
    const there = left.find((place) => here.compareDocumentPosition(place) & side) ?? left[0];
    if (there) go(there);
  };

  // What a choice makes of a place stands below it; to write in it is to edit it by hand.
  for (const hunk of form.querySelectorAll("[data-hunk]")) {
    const becomes = hunk.querySelector(".hand textarea");
    hunk.addEventListener("change", (event) => {
      const known = [...hunk.querySelectorAll("[data-choice]")];
      const text = (one) => one.content.textContent;
      const chosen = known.find((one) => one.dataset.choice === event.target.value);
      if (event.target.type !== "radio" || !chosen) return;
      if (!known.some((one) => text(one) === becomes.value)) becomes.dataset.written = becomes.value;
      becomes.value = text(chosen);
    });
    hunk.addEventListener("change", (event) => {
      // Back to what was written by hand, if another choice had taken its place.
      if (event.target.value !== "hand" || becomes.dataset.written === undefined) return;
      becomes.value = becomes.dataset.written;
    });
    becomes.addEventListener("input", () => {
      hunk.querySelector("[value=hand]").checked = true;
      delete becomes.dataset.written;
    });
  }
  form.classList.add("on");

  // Mine stays a draft, and what was chosen stays with it.
  const { content, base, sha256 } = form.elements;
  const key = drafts.sent(said.draft) || drafts.own(said.draft);
  const fields = () => [...new FormData(form)].filter(([name]) => /^(choice|hand)-/.test(name));
  let isTouched = false;
  const keep = () => drafts.keep(key, {
    base: base.value, text: content.value, chosen: { sha256: sha256.value, fields: fields() },
  });
  const restore = () => {
    const { base: from, text, chosen } = drafts.read(key);
    if (form.querySelector(".errorlist, .note.error")) return;
    if (from !== base.value || text !== content.value || chosen?.sha256 !== sha256.value) return;
    for (const [name, value] of chosen.fields) {
      const field = form.elements[name];
      if (field) field.value = value;
    }
  };
  restore();
  drafts.send(key);
  keep();

  const touched = () => {
    isTouched = true;
    tell();
    keep();
  };
  form.addEventListener("change", touched);
  form.addEventListener("input", touched);
  form.noValidate = true;
  form.addEventListener("submit", (event) => {
    const left = open();
    isTouched = left.length > 0;
    if (!isTouched) return;
    event.preventDefault();
    const named = left.slice(0, 10).map((place) => place.dataset.place).join(", ");
    const note = document.createElement("div");
    note.className = "note error";
    note.role = "alert";
    note.textContent = (left.length === 1 ? said.stillOne : said.still)
      .replace("{places}", left.length > 10 ? `${named}, …` : named);
    form.querySelector(".open-places").replaceChildren(note);
    go(left[0]);
  });
  form.addEventListener("htmx:beforeRequest", (event) => {
    if (open().length) event.preventDefault();
  });
  addEventListener("beforeunload", (event) => {
    if (isTouched && form.isConnected) event.preventDefault();
  });
  const leave = form.querySelector("[data-leave]");
  leave.textContent = leave.dataset.leave;
  leave.addEventListener("click", () => { isTouched = false; });
  next.addEventListener("click", () => step(false));
  document.addEventListener("keydown", (event) => {
    if (!form.isConnected) return;
    if (event.altKey && !event.ctrlKey && /^Arrow(Up|Down)$/.test(event.key) && places.length) {
      event.preventDefault();
      step(event.key === "ArrowUp");
    }
    if (event.key.toLowerCase() === "s" && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      form.requestSubmit(form.querySelector(".btn.main"));
    }
  });
  form.querySelector("#merge-keys")?.removeAttribute("hidden");
  tell();
};
{
  const begin = (part) => {
    const form = part.querySelector("[data-merge]:not(.on)");
    if (form) merging(form);
  };
  begin(document);
  document.addEventListener("htmx:load", (event) => begin(event.target));
}
