// A request that failed says so in the messages region, which screen readers announce. Who was
// signed out meanwhile signs in in another tab, and what stands on this page goes on from there.
{
  const said = document.body.dataset;
  const region = document.getElementById("messages");
  const tell = (kind, text, ...more) => {
    if (!region || region.textContent.startsWith(text)) return;
    const note = document.createElement("p");
    note.className = `note ${kind}`;
    note.append(text, ...more);
    region.replaceChildren(note);
  };
  let isSignedOut = false;
  const signedOut = () => {
    isSignedOut = true;
    const link = document.createElement("a");
    link.href = said.signInUrl;
    link.target = "_blank";
    link.textContent = said.signIn;
    tell("warning", said.signedOut, " ", link);
  };
  document.addEventListener("htmx:responseError", (event) => {
    if (event.detail.xhr.status === 401 && said.person) signedOut();
    else tell("error", said.trouble);
  });
  document.addEventListener("htmx:sendError", () => tell("error", said.trouble));
  addEventListener("focus", async () => {
    if (!isSignedOut) return;
    const answer = await fetch(said.profile, { credentials: "same-origin" }).catch(() => null);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    // Nobody goes on with a form that somebody else opened.
    if (page.body.dataset.person !== said.person) return;
    const token = page.querySelector("[name=csrfmiddlewaretoken]").value;
    for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = token;
    isSignedOut = false;
    tell("success", said.signedIn);
  });
}
