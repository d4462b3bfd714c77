// The editor: a count, a preview, a draft, Ctrl+S; gutter.js numbers its lines, typing.js helps to
// write. What is saved stays open where it is: only what stands around the text comes anew.
// Without this script it is a plain form.
const editing = (editor) => {
  const form = editor.closest("form");
  const text = editor.querySelector("textarea.text");
  let saved = text.defaultValue.replace(/\r\n?/g, "\n");
  const isChanged = () => text.value !== saved || "unsaved" in editor.dataset;
  const later = (act, wait) => {
    let timer = 0;
    return () => {
      clearTimeout(timer);
      timer = setTimeout(act, typeof wait === "function" ? wait() : wait);
    };
  };

  editor.classList.add("on");
  const keys = editor.querySelector("#writing-keys");
  keys.hidden = false;
  text.setAttribute("aria-describedby", `${text.getAttribute("aria-describedby") ?? ""} ${keys.id}`.trim());
  const lines = gutter(editor);
  const { write } = typing(text);
  const ranges = (said) => said.split(" ").filter(Boolean).map((part) => {
    const [first, last] = part.split("-").map(Number);
    return [first, last ?? first];
  });

  // Tokens as the server estimates them.
  const CJK = /[\u1100-\u11ff\u2e80-\u2fdf\u3000-\u30ff\u3130-\u318f\u31c0-\u31ff\u3200-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\u{1aff0}-\u{1b16f}\u{20000}-\u{3ffff}]/u;
  const count = () => {
    let [ascii, cjk, others] = [0, 0, 0];
    const value = text.value;
    for (let at = 0; at < value.length; at += 1) {
      const code = value.codePointAt(at);
      if (code > 0xffff) at += 1;
      if (code < 0x80) ascii += 1;
      else if (CJK.test(String.fromCodePoint(code))) cjk += 1;
      else others += 1;
    }
    const characters = ascii + cjk + others;
    const tokens = cjk + Math.ceil(ascii / 4) + Math.ceil((2 * others) / 3);
    const said = editor.dataset;
    const limit = Number(said.limit);
    const parts = [said.counted.replace("{characters}", characters.toLocaleString("en"))
      .replace("{tokens}", tokens.toLocaleString("en"))];
    const shown = editor.querySelector(".count-of");
    if (limit) {
      const told = characters > limit ? said.over : said.within;
      parts.push(told.replace("{over}", (characters - limit).toLocaleString("en"))
        .replace("{limit}", limit.toLocaleString("en")));
    }
    shown.textContent = parts.join(" · ");
    shown.classList.toggle("over", Boolean(limit) && characters > limit);
  };

  const sample = editor.querySelector(".sample");
  const button = editor.querySelector("[data-preview]");
  const preview = () => {
    if (!sample.hidden && editor.isConnected) htmx.trigger("#preview", "refresh");
  };
  // What was shown last stays; the next change asks again.
  const failed = sample.querySelector("[data-failed]");
  for (const trouble of ["htmx:sendError", "htmx:responseError"]) {
    sample.addEventListener(trouble, (event) => {
      if (event.detail.xhr.status === 401) return;
      event.stopPropagation();
      failed.hidden = false;
    });
  }
  sample.addEventListener("htmx:beforeSwap", () => { failed.hidden = true; });
  const show = (on) => {
    sample.hidden = !on;
    editor.classList.toggle("split", on);
    button.setAttribute("aria-pressed", on);
    try { localStorage.setItem("memoryweb-preview", on ? "on" : "off"); } catch { /* no store */ }
    preview();
  };
  button.addEventListener("click", (event) => {
    event.preventDefault();
    show(sample.hidden);
  });

  const { draft: name, base } = editor.dataset;
  const hash = () => form.elements.sha256; // another field after each save
  const key = drafts.own(name);
  const keep = () => {
    if (!editor.isConnected) return; // a merge has taken its place, and keeps the draft
    if (isChanged()) drafts.keep(key, { base: hash()?.value ?? "", text: text.value });
    else drafts.drop(key);
  };
  const offer = () => {
    const found = drafts.of(name).find((draft) => draft.key !== key && draft.text !== text.value);
    const note = editor.querySelector(".draft");
    note.hidden = true;
    if (!found || "unsaved" in editor.dataset) return;
    note.querySelector("[data-moved-on]").hidden = !found.base || found.base === base;
    const time = note.querySelector("time");
    time.dateTime = new Date(found.at).toISOString();
    time.textContent = new Date(found.at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
    note.hidden = false;
    note.querySelector("[data-use]").onclick = () => {
      // It began with another text if the file moved on: saving it then asks how both fit.
      if (hash() && found.base) hash().value = found.base;
      if (found.base !== base) lines.unmark("pinned", "persons");
      note.hidden = true;
      text.focus();
      text.select();
      write(found.text);
      text.setSelectionRange(0, 0);
      keep();
      drafts.drop(found.key);
    };
    note.querySelector("[data-discard]").onclick = () => {
      drafts.drop(found.key);
      text.focus();
      offer();
    };
  };

  const keepSoon = later(keep, 400);
  const countSoon = later(count, 250);
  const previewSoon = later(preview, () => (text.value.length > 60_000 ? 1500 : 500));
  text.addEventListener("input", () => {
    countSoon();
    previewSoon();
    keepSoon();
  });

  let isLeaving = false;
  (form.closest("#editing") ?? form).addEventListener("submit", (event) => {
    isLeaving = !event.target.hasAttribute("hx-post");
    keep();
    drafts.send(key);
  });
  const lookAround = () => {
    const around = form.querySelector("#saved");
    if (!around) return;
    lines.unmark("pinned", "persons", "changed");
    for (const name of ["pinned", "persons", "changed"]) lines.mark(name, ranges(around.dataset[name]));
    if (!("saved" in around.dataset)) return;
    delete editor.dataset.unsaved;
    drafts.drop(drafts.sent(name));
    keep();
  };
  let sent = saved;
  form.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target === form) sent = text.value;
  });
  form.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.requestConfig.elt !== form) return;
    if ("saved" in form.querySelector("#saved").dataset) saved = sent;
    lookAround();
  });
  addEventListener("pageshow", () => { isLeaving = false; });
  addEventListener("beforeunload", (event) => {
    if (isLeaving || !editor.isConnected || !isChanged()) return;
    keep();
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    if (!editor.isConnected) return;
    event.preventDefault();
    form.requestSubmit(form.querySelector(".btn.main"));
  });

  lines.mark("pinned", ranges(editor.dataset.pinned));
  lines.mark("persons", ranges(editor.dataset.persons));
  lookAround();
  // A merge led here: writing goes on at the first line that changed.
  if (form.querySelector("#saved[data-saved]")) {
    const [first] = ranges(form.querySelector("#saved").dataset.changed)[0] ?? [1];
    const at = text.value.split("\n", first - 1).join("\n").length + (first > 1 ? 1 : 0);
    text.setSelectionRange(at, at);
    text.focus();
  }
  if ("unsaved" in editor.dataset) {
    drafts.takeOver(text.value);
    drafts.drop(drafts.sent(name)); // what is merged holds it
    keep();
  }
  count();
  offer();
  let wanted = "off";
  try { wanted = localStorage.getItem("memoryweb-preview"); } catch { /* no store */ }
  if (wanted === "on") show(true);
};
{
  const begin = (part) => {
    const editor = part.querySelector("[data-editor]:not(.on)");
    if (editor) editing(editor);
  };
  begin(document);
  document.addEventListener("htmx:load", (event) => begin(event.target));
}
