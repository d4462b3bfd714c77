// Line numbers that stay beside their lines, however often a line wraps. A mirror lies behind the
// text with the same lines. What a key press costs does not grow with the text: only lines that
// changed are touched, lines stand in bundles so that the others need no new layout, and only the
// numbers in sight are drawn. A mebibyte has tens of thousands of lines.
const gutter = (editor) => {
  const BUNDLE = 128;
  const text = editor.querySelector("textarea.text");
  const mirror = editor.querySelector(".mirror");
  const numbers = editor.querySelector(".numbers");
  let was = null;
  let bundles = []; // { box, rows, length }: `length` counts characters with the line ends

  const made = (line) => {
    const row = document.createElement("div");
    row.textContent = line;
    return row;
  };
  const weigh = (bundle) => {
    bundle.length = bundle.rows.reduce((sum, row) => sum + row.textContent.length + 1, 0);
  };
  const bundled = (rows) => {
    const found = [];
    for (let at = 0; at < rows.length; at += BUNDLE) {
      const bundle = { box: document.createElement("div"), rows: rows.slice(at, at + BUNDLE), length: 0 };
      bundle.box.append(...bundle.rows);
      weigh(bundle);
      found.push(bundle);
    }
    return found;
  };

  // How many characters two texts share from a side; each is looked at twice at most.
  const shared = (most, isEqual) => {
    let low = 0;
    let high = most;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (isEqual(low, middle)) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const changed = (now) => {
    const most = Math.min(was.length, now.length);
    const head = shared(most, (a, b) => was.slice(a, b) === now.slice(a, b));
    const tail = shared(most - head, (a, b) => was.slice(was.length - b, was.length - a)
      === now.slice(now.length - b, now.length - a));
    return [head, was.length - tail];
  };
  // Bundles that hold the characters from `head` to `end`, and where the first of them begins.
  const touched = (head, end) => {
    let first = 0;
    let start = 0;
    while (first < bundles.length - 1 && start + bundles[first].length <= head) {
      start += bundles[first].length;
      first += 1;
    }
    let last = first;
    let stop = start + bundles[first].length;
    while (last < bundles.length - 1 && stop <= end) {
      last += 1;
      stop += bundles[last].length;
    }
    return { first, last, start, stop };
  };
  // The lines of one bundle anew: rows stay where their line does.
  const relined = (bundle, lines) => {
    const { box, rows } = bundle;
    let head = 0;
    const most = Math.min(rows.length, lines.length);
    while (head < most && rows[head].textContent === lines[head]) head += 1;
    let tail = 0;
    while (tail < most - head && rows[rows.length - 1 - tail].textContent === lines[lines.length - 1 - tail]) tail += 1;
    const old = rows.slice(head, rows.length - tail);
    const come = lines.slice(head, lines.length - tail);
    const stay = Math.min(old.length, come.length);
    for (let at = 0; at < stay; at += 1) old[at].textContent = come[at];
    const fresh = come.slice(stay).map(made);
    const after = rows[rows.length - tail] ?? null;
    for (const row of old.slice(stay)) row.remove();
    for (const row of fresh) box.insertBefore(row, after);
    bundle.rows = [...rows.slice(0, head + stay), ...fresh, ...rows.slice(rows.length - tail)];
    weigh(bundle);
  };
  const update = () => {
    const now = text.value;
    if (now === was) return;
    if (was === null) {
      bundles = bundled(now.split("\n").map(made));
      mirror.append(...bundles.map((bundle) => bundle.box));
    } else {
      const { first, last, start, stop } = touched(...changed(now));
      const lines = now.slice(start, stop - 1 + now.length - was.length).split("\n");
      if (first === last && lines.length < 2 * BUNDLE) {
        relined(bundles[first], lines);
      } else {
        const fresh = bundled(lines.map(made));
        bundles[first].box.before(...fresh.map((bundle) => bundle.box));
        for (const bundle of bundles.slice(first, last + 1)) bundle.box.remove();
        bundles = [...bundles.slice(0, first), ...fresh, ...bundles.slice(last + 1)];
      }
    }
    was = now;
    const count = bundles.reduce((sum, bundle) => sum + bundle.rows.length, 0);
    const digits = String(String(count).length);
    if (editor.style.getPropertyValue("--digits") !== digits) editor.style.setProperty("--digits", digits);
    draw();
  };

  // The first of some boxes, one below the other, that ends below the top.
  const seen = (boxes, top) => {
    let first = 0;
    for (let end = boxes.length - 1; first < end;) {
      const middle = (first + end) >> 1;
      if (boxes[middle].offsetTop + boxes[middle].offsetHeight < top) first = middle + 1;
      else end = middle;
    }
    return first;
  };
  const draw = () => {
    const top = text.scrollTop;
    const bottom = top + text.clientHeight;
    let at = seen(bundles.map((bundle) => bundle.box), top);
    let line = bundles.slice(0, at).reduce((sum, bundle) => sum + bundle.rows.length, 0);
    const shown = [];
    let skipped = seen(bundles[at].rows, top);
    for (; at < bundles.length && bundles[at].box.offsetTop < bottom; at += 1) {
      for (const [within, row] of bundles[at].rows.entries()) {
        if (within < skipped) continue;
        if (row.offsetTop >= bottom) break;
        const number = document.createElement("div");
        number.textContent = line + within + 1;
        number.className = row.className;
        number.style.top = `${row.offsetTop - top}px`;
        number.style.height = `${row.offsetHeight}px`;
        shown.push(number);
      }
      line += bundles[at].rows.length;
      skipped = 0;
    }
    numbers.replaceChildren(...shown);
  };
  const fit = () => {
    mirror.style.width = `${text.clientWidth}px`;
    draw();
  };

  const rows = () => bundles.flatMap((bundle) => bundle.rows);
  const mark = (name, ranges) => {
    const found = rows();
    for (const [first, last] of ranges) {
      for (let at = first; at <= last; at += 1) found[at - 1]?.classList.add(name);
    }
    draw();
  };
  const unmark = (...names) => {
    rows().forEach((row) => row.classList.remove(...names));
    draw();
  };

  let asked = 0;
  const soon = () => { asked ||= requestAnimationFrame(() => { asked = 0; update(); }); };
  text.addEventListener("input", soon);
  text.addEventListener("scroll", draw, { passive: true });
  update();
  new ResizeObserver(fit).observe(text);
  fit();
  return { mark, unmark };
};
