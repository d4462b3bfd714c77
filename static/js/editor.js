// The editor: numbers that stay beside their lines, a count, a preview, a draft, Ctrl+S.
// Without this script it is a plain form.
{
  const editor = document.querySelector("[data-editor]");
  const form = editor.closest("form");
  const text = editor.querySelector("textarea.text");
  const mirror = editor.querySelector(".mirror");
  const saved = text.defaultValue.replace(/\r\n?/g, "\n");
  const isChanged = () => text.value !== saved || "unsaved" in editor.dataset;
  const later = (act, wait) => {
    let timer = 0;
    return () => {
      clearTimeout(timer);
      timer = setTimeout(act, typeof wait === "function" ? wait() : wait);
    };
  };

  // The mirror lies behind the text with the same lines, so that each number stands where its
  // line begins, however often the line wraps. Only lines that changed are touched, and only
  // the numbers in sight are drawn: a mebibyte has tens of thousands of lines.
  const numbers = editor.querySelector(".numbers");
  const ranges = (said) => said.split(" ").filter(Boolean).map((part) => {
    const [first, last] = part.split("-").map(Number);
    return [first, last ?? first];
  });
  const marks = { pinned: ranges(editor.dataset.pinned), persons: ranges(editor.dataset.persons) };
  const made = (line) => {
    const row = document.createElement("div");
    row.textContent = line;
    return row;
  };
  let lines = [];
  let rows = [];
  const draw = () => {
    const top = text.scrollTop;
    let first = 0;
    for (let end = rows.length - 1; first < end;) {
      const middle = (first + end) >> 1;
      if (rows[middle].offsetTop + rows[middle].offsetHeight < top) first = middle + 1;
      else end = middle;
    }
    const shown = [];
    for (let at = first; at < rows.length && rows[at].offsetTop < top + text.clientHeight; at += 1) {
      const number = document.createElement("div");
      number.textContent = at + 1;
      number.className = rows[at].className;
      number.style.top = `${rows[at].offsetTop - top}px`;
      number.style.height = `${rows[at].offsetHeight}px`;
      shown.push(number);
    }
    numbers.replaceChildren(...shown);
  };
  const number = () => {
    const now = text.value.split("\n");
    const most = Math.min(lines.length, now.length);
    let head = 0;
    while (head < most && lines[head] === now[head]) head += 1;
    let tail = 0;
    while (tail < most - head && lines[lines.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
    const gone = lines.length - tail - head;
    const come = now.length - tail - head;
    const stay = Math.min(gone, come);
    for (let at = head; at < head + stay; at += 1) rows[at].textContent = now[at];
    const fresh = now.slice(head + stay, head + come).map(made);
    for (const row of rows.slice(head + stay, head + gone)) row.remove();
    const after = rows[head + gone] ?? null;
    const added = document.createDocumentFragment();
    for (const row of fresh) added.append(row);
    mirror.insertBefore(added, after);
    rows = [...rows.slice(0, head + stay), ...fresh, ...rows.slice(head + gone)];
    lines = now;
    editor.style.setProperty("--digits", String(now.length).length);
    draw();
  };
  const fit = () => {
    mirror.style.width = `${text.clientWidth}px`;
    draw();
  };

  // Tokens as the server estimates them.
  const CJK = /[\u1100-\u11ff\u2e80-\u2fdf\u3000-\u30ff\u3130-\u318f\u31c0-\u31ff\u3200-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\u{1aff0}-\u{1b16f}\u{20000}-\u{3ffff}]/gu;
  const count = () => {
    const value = text.value;
    const characters = value.length - (value.match(/[\ud800-\udbff][\udc00-\udfff]/g) ?? []).length;
    const cjk = (value.match(CJK) ?? []).length;
    const ascii = (value.match(/[\x00-\x7f]/g) ?? []).length;
    const tokens = cjk + Math.ceil(ascii / 4) + Math.ceil((2 * (characters - cjk - ascii)) / 3);
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
    if (!sample.hidden) htmx.trigger("#preview", "refresh");
  };
  const show = (on) => {
    sample.hidden = !on;
    editor.classList.toggle("split", on);
    button.setAttribute("aria-pressed", on);
    try { localStorage.setItem("memoryweb-preview", on ? "on" : "off"); } catch { /* no store */ }
    fit();
    preview();
  };
  button.addEventListener("click", (event) => {
    event.preventDefault();
    show(sample.hidden);
  });

  const { draft: name, base } = editor.dataset;
  const hash = form.elements.sha256;
  const keep = () => {
    if (isChanged()) drafts.keep(name, hash?.value ?? "", text.value);
    else drafts.forget(name);
  };
  const offer = () => {
    const found = drafts.of(name).find((draft) => draft.text !== text.value);
    if (!found || "unsaved" in editor.dataset) return;
    const note = editor.querySelector(".draft");
    const time = note.querySelector("time");
    time.dateTime = new Date(found.at).toISOString();
    time.textContent = new Date(found.at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
    note.hidden = false;
    note.querySelector("[data-use]").addEventListener("click", () => {
      // It began with another text if the file moved on: saving it then asks how both fit.
      if (hash && found.base) hash.value = found.base;
      text.value = found.text;
      if (found.base !== base) {
        marks.pinned = marks.persons = [];
        for (const row of rows) row.classList.remove("pinned", "persons");
      }
      note.remove();
      text.dispatchEvent(new Event("input"));
      text.focus();
    });
    note.querySelector("[data-discard]").addEventListener("click", () => {
      drafts.drop(found.key);
      note.remove();
      text.focus();
    });
  };

  const keepSoon = later(keep, 400);
  const countSoon = later(count, 250);
  const previewSoon = later(preview, () => (text.value.length > 60_000 ? 1500 : 500));
  const numberSoon = (() => {
    let asked = 0;
    return () => { asked ||= requestAnimationFrame(() => { asked = 0; number(); }); };
  })();
  text.addEventListener("input", () => {
    numberSoon();
    countSoon();
    previewSoon();
    keepSoon();
  });
  text.addEventListener("scroll", draw, { passive: true });
  new ResizeObserver(fit).observe(text);

  let isLeaving = false;
  form.addEventListener("submit", () => {
    isLeaving = true;
    keep();
  });
  addEventListener("pageshow", () => { isLeaving = false; });
  addEventListener("beforeunload", (event) => {
    if (isLeaving || !isChanged()) return;
    keep();
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    form.requestSubmit(form.querySelector(".btn.main"));
  });

  editor.classList.add("on");
  number();
  for (const [mark, found] of Object.entries(marks)) {
    for (const [first, last] of found) {
      for (let at = first; at <= last; at += 1) rows[at - 1]?.classList.add(mark);
    }
  }
  fit();
  count();
  offer();
  let wanted = "off";
  try { wanted = localStorage.getItem("memoryweb-preview"); } catch { /* no store */ }
  if (wanted === "on") show(true);
}
