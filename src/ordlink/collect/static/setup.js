// The address that the server prints ends in "#" and the token.
const field = document.getElementById("token");

function fill() {
  if (field && location.hash) field.value = location.hash.slice(1);
}

fill();
addEventListener("hashchange", fill); // the address was opened in a tab that shows this page
