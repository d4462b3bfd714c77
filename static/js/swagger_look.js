// Swagger's page has a dark look of its own, which a class of the page turns on.
const { theme } = document.documentElement.dataset;
const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
document.documentElement.classList.toggle("dark-mode", dark);
