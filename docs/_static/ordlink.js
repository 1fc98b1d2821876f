// For keyboards and screen readers: what scrolls can be reached, and links of pictures have a name.
document.addEventListener("DOMContentLoaded", () => {
  for (const region of document.querySelectorAll("pre, .table-wrapper")) {
    region.tabIndex = 0;
  }
  for (const thumbnail of document.querySelectorAll(".sphx-glr-thumbcontainer")) {
    const title = thumbnail.querySelector(".sphx-glr-thumbnail-title")?.textContent.trim();
    for (const link of thumbnail.querySelectorAll("a")) {
      link.setAttribute("aria-label", title ?? link.href);
    }
  }
});
