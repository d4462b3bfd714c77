// Of a long list that is loaded as it is needed: all of it where it is printed, and the line that an
// address without a page names.
addEventListener("beforeprint", () => {
  const more = document.querySelector("#more[data-rest]");
  if (!more) return;
  const request = new XMLHttpRequest();
  request.open("GET", more.dataset.rest, false); // printing waits for nothing else
  request.setRequestHeader("HX-Request", "true");
  request.setRequestHeader("HX-Target", "more");
  request.send();
  if (request.status === 200) more.outerHTML = request.responseText;
});
const find = () => {
  const line = /^#L(\d+)$/.exec(location.hash)?.[1];
  if (!line || !document.getElementById("more") || document.getElementById(`L${line}`)) return;
  const url = new URL(location);
  if (url.searchParams.get("line") === line) return;
  url.searchParams.delete("page");
  url.searchParams.set("line", line);
  location.replace(url);
};
find();
addEventListener("hashchange", find);
