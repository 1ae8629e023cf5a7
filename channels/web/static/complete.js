// Completes a command while it is typed: a listbox that is steered from the text field.

import { element } from "./messages.js";

export function completion(field, list, commands) {
  let shown = [];
  let active = -1;

  const typed = () => /^\/([a-z0-9_-]*)$/i.exec(field.value)?.[1].toLowerCase();

  function open() {
    const start = typed();
    shown = start === undefined ? [] : commands.filter(({ name }) => name.startsWith(start));
    list.replaceChildren(...shown.map(option));
    list.hidden = shown.length === 0;
    mark(shown.length ? 0 : -1);
  }

  function option(command, number) {
    const item = element("li");
    item.id = `hint-${number}`;
    item.role = "option";
    const name = element("span", "name", `/${command.name}`);
    if (command.arguments) name.append(" ", element("span", "arguments", command.arguments));
    item.append(name, " ", element("span", "help", command.help));
    item.addEventListener("pointerdown", (event) => event.preventDefault()); // the field keeps the focus
    item.addEventListener("click", () => take(number));
    return item;
  }

  function mark(number) {
    active = number;
    [...list.children].forEach((item, place) => (item.ariaSelected = String(place === number)));
    if (number < 0) {
      field.removeAttribute("aria-activedescendant");
      return;
    }
    field.setAttribute("aria-activedescendant", `hint-${number}`);
    list.children[number].scrollIntoView({ block: "nearest" });
  }

  function close() {
    list.hidden = true;
    shown = [];
    mark(-1);
  }

  function take(number) {
    field.value = `/${shown[number].name} `;
    close();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  }

  // Whether the key was meant for the list.
  function key(event) {
    if (list.hidden) return false;
    const finished = shown[active].name === typed();
    if (event.key === "ArrowDown") mark((active + 1) % shown.length);
    else if (event.key === "ArrowUp") mark((active + shown.length - 1) % shown.length);
    else if (event.key === "Escape") close();
    else if (event.key === "Tab" && !event.shiftKey) take(active);
    else if (event.key === "Enter" && !event.shiftKey && !finished) take(active);
    else return false;
    event.preventDefault();
    return true;
  }

  field.addEventListener("input", open);
  field.addEventListener("blur", close);
  return { key, close };
}
