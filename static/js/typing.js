// Comfort while writing Markdown: Enter goes on with a list, Tab and Shift+Tab indent its items.
// Everything goes through the browser's own undo. Tab outside of a list leaves the text, and so
// does Tab after Escape: nobody is held in it.
const typing = (text) => {
  const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])(\s+)(\[[ xX]\]\s+)?/;
  const LONG = 200_000; // longer insertions take the browser's undo seconds
  let isLeaving = false;

  const write = (said) => {
    if (said.length < LONG) {
      // Deprecated, and still the only way that keeps what Ctrl+Z undoes.
      const isDone = said ? document.execCommand("insertText", false, said) : document.execCommand("delete");
      if (isDone) return;
    }
    text.setRangeText(said, text.selectionStart, text.selectionEnd, "end");
    text.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const replace = (start, end, said) => {
    text.setSelectionRange(start, end);
    write(said);
  };
  const lineAt = (at) => {
    const start = text.value.lastIndexOf("\n", at - 1) + 1;
    const end = text.value.indexOf("\n", at);
    return { start, end: end < 0 ? text.value.length : end };
  };
  const isInCode = (at) => (text.value.slice(0, at).match(/^ {0,3}```/gm) ?? []).length % 2 === 1;

  const goOn = (event) => {
    const at = text.selectionStart;
    if (at !== text.selectionEnd) return;
    const { start, end } = lineAt(at);
    const [marker, indent, bullet, gap, task] = text.value.slice(start, at).match(ITEM) ?? [];
    if (!marker || isInCode(start)) return;
    event.preventDefault();
    if (!text.value.slice(start + marker.length, end).trim()) {
      replace(start, end, ""); // an empty item ends the list
      return;
    }
    const number = Number.parseInt(bullet, 10);
    const next = Number.isNaN(number) ? bullet : `${number + 1}${bullet.at(-1)}`;
    write(`\n${indent}${next}${gap}${task ? "[ ] " : ""}`);
  };
  const indent = (event) => {
    const { selectionStart: from, selectionEnd: to } = text;
    const { start } = lineAt(from);
    const { end } = lineAt(to > from && text.value[to - 1] === "\n" ? to - 1 : to);
    const lines = text.value.slice(start, end).split("\n");
    if (!lines.some((line) => ITEM.test(line))) return;
    event.preventDefault();
    const moved = lines.map((line) => {
      if (event.shiftKey) return line.replace(/^(\t| {1,2})/, "");
      return line.trim() ? `  ${line}` : line;
    });
    const said = moved.join("\n");
    if (said === text.value.slice(start, end)) return;
    replace(start, end, said);
    const first = Math.max(start, from + moved[0].length - lines[0].length);
    text.setSelectionRange(first, Math.max(first, to + said.length - (end - start)));
  };
  text.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Tab" && !isLeaving) indent(event);
    else if (event.key === "Enter" && !event.shiftKey) goOn(event);
    if (event.key !== "Shift") isLeaving = event.key === "Escape";
  });
  text.addEventListener("blur", () => { isLeaving = false; });
  return { write };
};
