// Copies what a button names. Without this script the text can be marked by hand.

for (const button of document.querySelectorAll("button[data-copies]")) {
  const text = document.getElementById(button.dataset.copies);
  const status = button.nextElementSibling;
  const label = button.textContent;
  let back;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const said = (await copied(text)) ? button.dataset.done : button.dataset.failed;
    button.textContent = status.textContent = said;
    clearTimeout(back);
    back = setTimeout(() => {
      button.textContent = label;
      status.textContent = "";
    }, 3000);
  });
}

// The clipboard is there on https and loopback only.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(text);
    return false;
  }
}
