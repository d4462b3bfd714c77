// The answer appears as it is written. Without this script the form is sent and the page comes back.
(() => {
  const form = document.querySelector("form[data-chat]");
  if (!form || !window.ReadableStream) return;

  const line = (role, who) => {
    let talk = document.getElementById("talk");
    if (!talk) {
      talk = Object.assign(document.createElement("ol"), { id: "talk", className: "talk chat" });
      form.parentElement.querySelector(".empty").replaceWith(talk);
    }
    const row = Object.assign(document.createElement("li"), { className: role });
    const name = Object.assign(document.createElement("span"), { className: "sr", textContent: who });
    const said = Object.assign(document.createElement("div"), { className: "said" });
    row.append(name, said);
    talk.append(row);
    row.scrollIntoView({ block: "nearest" });
    return said;
  };

  const read = async (response, answer) => {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    let said = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return false;
      const events = (rest + value).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        const [name, data] = event.split("\n").map((part) => part.replace(/^(event|data): /, ""));
        if (name === "delta") answer.textContent = (said += JSON.parse(data).text);
        if (name === "error") answer.textContent = JSON.parse(data).detail;
        if (name === "done") return true;
      }
    }
  };

  form.elements.message.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!form.elements.message.readOnly) form.requestSubmit();
  });

  form.addEventListener("submit", async (event) => {
    const message = form.elements.message.value.trim();
    if (!message || message.startsWith("/")) return; // commands come back with the page
    event.preventDefault();
    form.elements.message.readOnly = true;
    line("user", form.dataset.you).textContent = message;
    const answer = line("assistant", form.dataset.agent);
    answer.setAttribute("aria-live", "polite");
    answer.textContent = "…";
    let isDone = false;
    try {
      const response = await fetch(form.action, {
        method: "POST",
        body: new FormData(form),
        headers: { Accept: "text/event-stream" },
      });
      const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
      isDone = isStream ? await read(response, answer) : response.ok;
      if (!isStream && !isDone) answer.textContent = form.dataset.failed;
    } catch {
      answer.textContent = form.dataset.failed;
    }
    if (isDone) {
      const page = new URL(location.href);
      page.searchParams.set("talk", form.elements.talk.value);
      page.hash = "";
      return location.replace(page);
    }
    form.elements.message.readOnly = false;
    const button = form.querySelector("[data-busy]");
    button.removeAttribute("aria-disabled");
    if (button.dataset.label) button.textContent = button.dataset.label;
  });
})();
