// Draws messages. `html` comes from the server, which lets nothing but its own few elements through; every other text
// goes in as text.

const NEVER_REDRAWN = 30_000; // ms after which a card that was decided, and yet did not change, can be pressed again

export function messages(log, phrases, press) {
  const find = (id) => log.querySelector(`:scope > [data-id="${CSS.escape(id)}"]`);

  function upsert(view) {
    const old = find(view.id);
    const fresh = draw(view, phrases, press);
    const note = old?.querySelector(":scope > .note");
    if (note) fresh.append(note);
    const focus = old?.contains(document.activeElement) ? document.activeElement.dataset.token ?? "" : null;
    const place = [...log.children].find((other) => other !== old && Number(other.dataset.order) > view.order);
    if (old && old.nextElementSibling === (place ?? null)) old.replaceWith(fresh);
    else {
      old?.remove();
      log.insertBefore(fresh, place ?? null);
    }
    if (focus !== null) (fresh.querySelector(`[data-token="${CSS.escape(focus)}"]`) ?? fresh).focus();
    return old === null;
  }

  // What the visitor has just written, before the server has it: it stands last.
  function pending(id, text) {
    const view = { id, order: Infinity, author: "", html: "", rows: [], state: "said", at: Date.now() / 1000 };
    const article = draw(view, phrases, press);
    article.querySelector(".text").textContent = text;
    log.append(article);
    note(id, phrases.sending);
  }

  // A line below a message of the visitor's; with `again`, a button to send it once more.
  function note(id, text, again) {
    const article = find(id);
    article?.querySelector(".note")?.remove();
    if (!article || !text) return;
    const line = element("p", "note", text);
    if (again) {
      line.classList.add("failed");
      line.append(" ", button("link", phrases.retry, again));
    }
    article.append(line);
  }

  // Takes away what the server told; what it may not have stays, at the end.
  function remove(id, unsent) {
    const article = find(id);
    if (!unsent) article?.remove();
    else if (article) article.dataset.order = Infinity;
  }

  function forget(unsent) {
    for (const { dataset } of [...log.children]) remove(dataset.id, unsent.has(dataset.id));
  }

  return { upsert, pending, note, remove, forget, first: () => log.firstElementChild };
}

function draw(view, phrases, press) {
  const article = element("article", `message ${view.author ? "theirs" : "own"} ${view.state}`);
  article.dataset.id = view.id;
  article.dataset.order = view.order;
  article.tabIndex = -1;
  const head = element("header", "head");
  head.append(element("h2", "author", view.author || phrases.you), when(view.at));
  const text = element("div", "text");
  text.innerHTML = view.html;
  tidy(text);
  if (view.state !== "waiting" && view.state !== "settled") {
    article.append(head, text);
    return article;
  }
  const slip = element("div", "slip");
  slip.append(element("p", "flag", view.state === "waiting" ? phrases.decide : phrases.decided), text);
  if (view.rows.length) slip.append(stub(view, phrases, press));
  article.append(head, slip);
  return article;
}

function stub(view, phrases, press) {
  const stub = element("div", "stub");
  stub.role = "group";
  stub.ariaLabel = phrases.decide;
  for (const row of view.rows) {
    const line = element("div", "row");
    for (const { label, token, style } of row) {
      const key = button(style, label, () => decide(stub, key, () => press(view.id, token)));
      key.dataset.token = token;
      line.append(key);
    }
    stub.append(line);
  }
  return stub;
}

// The buttons rest until the server has answered, and after a press that was taken until the card is drawn anew, with
// buttons of its own; they stay in the tab order, so that nobody loses his place.
async function decide(stub, key, press) {
  if (stub.ariaBusy === "true") return;
  const keys = [...stub.querySelectorAll("button")];
  stub.ariaBusy = "true";
  key.classList.add("pressed");
  for (const one of keys) one.ariaDisabled = "true";
  if (await press()) await new Promise((later) => setTimeout(later, NEVER_REDRAWN));
  stub.ariaBusy = "false";
  key.classList.remove("pressed");
  for (const one of keys) one.ariaDisabled = null;
}

// Wide tables and code scroll by themselves, also by keyboard; headings follow the author's without a gap.
export function tidy(text) {
  let level = 2;
  for (const heading of text.querySelectorAll("h3, h4, h5, h6")) {
    level = Math.min(Number(heading.tagName[1]), level + 1);
    heading.ariaLevel = String(level);
  }
  for (const table of text.querySelectorAll("table")) {
    const frame = element("div", "wide");
    table.replaceWith(frame);
    frame.append(table);
  }
  for (const wide of text.querySelectorAll("pre, .wide")) wide.tabIndex = 0;
}

function when(at) {
  const time = element("time");
  const date = new Date(at * 1000);
  const today = date.toDateString() === new Date().toDateString();
  const shape = today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  time.dateTime = date.toISOString();
  time.textContent = new Intl.DateTimeFormat(undefined, shape).format(date);
  return time;
}

export function element(name, classes = "", text = "") {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  if (text) made.textContent = text;
  return made;
}

export function button(classes, label, action) {
  const made = element("button", classes, label);
  made.type = "button";
  made.addEventListener("click", action);
  return made;
}
