// The browser chat: listens to the server's stream, posts what is typed and pressed.

import { completion } from "./complete.js";
import { button, element, messages, tidy } from "./messages.js";

const { commands, phrases, typed } = JSON.parse(document.body.dataset.settings);
const at = (id) => document.getElementById(id);
const [log, partial, field, form, earlier, welcome, activity, offline, newest, toasts] = [
  "log", "partial", "text", "composer", "earlier", "welcome", "activity", "offline", "newest", "toasts",
].map(at);
const chat = messages(log, phrases, press);
const hints = completion(field, at("hints"), commands);
const unsent = new Set(); // ids of what the server may not have

// --- posting -------------------------------------------------------------------------------------------------------

// `content` is what is sent as JSON, or a form.
async function post(path, content, within = 30_000) {
  const form = content instanceof FormData;
  const headers = { "X-Askfirst-Page": "1", ...(form ? {} : { "Content-Type": "application/json" }) };
  let response, answer;
  try {
    response = await fetch(path, {
      method: "POST", headers, body: form ? content : JSON.stringify(content), signal: AbortSignal.timeout(within),
    });
    answer = await response.json();
  } catch {
    throw new Error(phrases.offline);
  }
  if (!response.ok) throw new Error(answer.error?.message ?? phrases.offline);
  return answer;
}

// randomUUID is there on https and loopback only; this is there everywhere.
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

let turn = Promise.resolve(); // one after the other, so that they arrive in the order in which they were written

function send(text) {
  const id = uuid();
  say(id, text, () => post("messages", { id, text }));
}

const largest = Number(document.body.dataset.files);

function sendFile(file) {
  if (file.size > largest) {
    const notice = phrases.too_large.replace("{name}", file.name).replace("{most}", largest / 1_048_576);
    return toast({ notice, alert: true });
  }
  const id = uuid();
  const form = new FormData();
  form.append("id", id);
  form.append("file", file);
  say(id, phrases.file.replace("{name}", file.name), () => post("files", form, 600_000));
}

function say(id, text, posting) {
  welcome.hidden = true;
  chat.pending(id, text);
  toEnd();
  turn = turn.then(() => deliver(id, posting));
}

// A second try bears the same id, so the server knows it if the first one did arrive.
async function deliver(id, posting) {
  unsent.add(id);
  chat.note(id, phrases.sending);
  try {
    toast(await posting());
    unsent.delete(id);
    chat.note(id, "");
  } catch (error) {
    const again = () => (turn = turn.then(() => deliver(id, posting)));
    keepEnd(() => chat.note(id, phrases.not_sent.replace("{reason}", error.message), again));
  }
}

// Whether the press was taken.
async function press(message, token) {
  try {
    const receipt = await post("presses", { id: uuid(), token, message });
    toast(receipt);
    return !receipt.alert;
  } catch (error) {
    toast({ notice: error.message, alert: true });
    return false;
  }
}

// --- listening -----------------------------------------------------------------------------------------------------

let last = "";
let pause = 1000;
let source;
let silence;
let again;

function listen() {
  clearTimeout(again);
  source?.close();
  source = new EventSource(`events${last && `?since=${last}`}`);
  source.onopen = online;
  source.onerror = lost;
  const on = (name, act) => source.addEventListener(name, (event) => {
    if (event.lastEventId) last = event.lastEventId;
    act(JSON.parse(event.data));
  });
  on("fresh", ({ more }) => {
    log.ariaBusy = "true";
    chat.forget(unsent);
    earlier.hidden = !more;
  });
  on("ready", () => {
    log.ariaBusy = "false";
    welcome.hidden = log.childElementCount > 0;
  });
  on("message", (view) => keepEnd(() => {
    welcome.hidden = true;
    return chat.upsert(view);
  }));
  on("removal", ({ id }) => keepEnd(() => chat.remove(id, unsent.has(id))));
  on("live", (live) => keepEnd(() => {
    activity.textContent = phrases[live.activity] ?? "";
    activity.dataset.activity = live.activity;
    partial.hidden = live.partial === null;
    partial.firstElementChild.innerHTML = live.partial ?? "";
    tidy(partial);
  }));
}

function online() {
  clearTimeout(silence);
  silence = undefined;
  pause = 1000;
  offline.textContent = "";
}

// A short gap is nobody's business. A browser comes back by itself unless the server said no; then it is on us.
function lost() {
  silence ??= setTimeout(() => (offline.textContent = phrases.reconnecting), 1500);
  activity.textContent = "";
  if (source.readyState !== EventSource.CLOSED) return;
  again = setTimeout(retry, pause);
  pause = Math.min(pause * 2, 10_000);
}

async function retry() {
  const answer = await fetch("messages?before=0").catch(() => null);
  if (answer?.status !== 401) {
    listen();
    return;
  }
  clearTimeout(silence);
  offline.textContent = phrases.signed_out;
}

earlier.addEventListener("click", async () => {
  const before = chat.first()?.dataset.order;
  const answer = await fetch(`messages?before=${before}`).catch(() => null);
  if (!answer?.ok) return toast({ notice: phrases.offline, alert: false });
  const { messages: views, more } = await answer.json();
  const height = document.documentElement.scrollHeight;
  log.ariaBusy = "true"; // old messages are not news
  views.forEach(chat.upsert);
  log.ariaBusy = "false";
  earlier.hidden = !more;
  window.scrollBy({ top: document.documentElement.scrollHeight - height, behavior: "instant" });
});

// --- the place on the page -----------------------------------------------------------------------------------------

const atEnd = () => window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 60;

function toEnd() {
  window.scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
  newest.hidden = true;
}

// Whoever reads the end stays there; whoever reads further up is told that there is more.
function keepEnd(change) {
  const stay = atEnd();
  const fresh = change();
  if (stay) toEnd();
  else if (fresh === true) newest.hidden = false;
}

newest.addEventListener("click", () => {
  toEnd();
  field.focus();
});
window.addEventListener("scroll", () => atEnd() && (newest.hidden = true), { passive: true });

// --- notices -------------------------------------------------------------------------------------------------------

function toast({ notice, alert }) {
  if (!notice) return;
  const box = element("div", alert ? "toast alert" : "toast");
  if (alert) box.role = "alert";
  const close = button("close", "×", () => box.remove());
  close.ariaLabel = phrases.close;
  box.append(element("p", "", notice), close);
  toasts.append(box);
  while (toasts.childElementCount > 3) toasts.firstElementChild.remove();
  if (!alert) setTimeout(() => box.remove(), 10_000);
}

// --- writing -------------------------------------------------------------------------------------------------------

function grow() {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

at("send").disabled = false; // before this the browser itself would submit, and the words would be gone
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = field.value.trim();
  if (!text) return field.focus();
  if ([...text].length > typed) return toast({ notice: phrases.too_long, alert: true });
  field.value = "";
  hints.close();
  grow();
  send(text);
  field.focus();
});

field.addEventListener("keydown", (event) => {
  if (event.isComposing || event.keyCode === 229) return; // Enter chooses a word there
  if (hints.key(event)) return;
  if (event.key === "Escape") toasts.replaceChildren();
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  form.requestSubmit();
});
field.addEventListener("input", grow);

if (largest) {
  at("file").addEventListener("change", ({ target }) => {
    for (const file of target.files) sendFile(file);
    target.value = "";
    field.focus();
  });
  const brings = ({ dataTransfer }) => dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => brings(event) && event.preventDefault());
  document.addEventListener("drop", (event) => {
    if (!brings(event)) return;
    event.preventDefault();
    for (const file of event.dataTransfer.files) sendFile(file);
  });
}
for (const example of document.querySelectorAll(".example")) {
  example.addEventListener("click", () => {
    send(example.textContent);
    field.focus();
  });
}
window.addEventListener("pagehide", () => source?.close());
window.addEventListener("pageshow", (event) => event.persisted && listen());

// A browser keeps few connections to one place open: a page that nobody looks at gives its own back.
let rest;
document.addEventListener("visibilitychange", () => {
  clearTimeout(rest);
  if (document.hidden) rest = setTimeout(() => source.close(), 60_000);
  else if (source.readyState === EventSource.CLOSED) listen();
});

listen();
