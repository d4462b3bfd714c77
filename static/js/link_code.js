// The code of a link stands behind its #: it is taken into the form, and out of the address
// once it was sent.
const form = document.querySelector("[data-entrance]");
const code = location.hash.slice(1);
if (form && code) {
  form.elements.code.value = code;
  form.querySelector(".field").hidden = true;
  form.addEventListener("submit", () => history.replaceState(null, "", location.pathname));
}
