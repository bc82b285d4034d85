"use strict";

// A row is a line of the list, all of it text; a card is a row that is shown.
const sheet = JSON.parse(document.getElementById("sheet").textContent);
const { columns, rows, cards } = sheet;
const column = Object.fromEntries(columns.map((name, place) => [name, place]));
const of = (row, name) => (name in column ? rows[row][column[name]] : "");

const FILTERS = [["all", "All"], ["", "Undecided"], ["accept", "Accepted"], ["refuse", "Refused"]];
const WORDS = { accept: "accepted", refuse: "refused", "": "undecided" };
const MEASURES = [
  ["ssim", "SSIM", 3], ["phash_distance", "hash bits", 0],
  ["changed_pixel_share", "changed", 3], ["max_local_color_difference", "local colour", 1],
  ["mean_color_difference", "mean colour", 1], ["ink_difference", "ink", 3],
  ["similarity", "similarity", 3], ["cell_size", "cell px", 0],
];

const verdicts = rows.map((_, row) => of(row, "verdict"));
const notes = rows.map((_, row) => of(row, "note"));
let saved = snapshot(); // what the last saved file, or the list, says
const history = []; // cards decided, the latest last
const articles = [];
let filter = "all";
let current = -1; // index of a card
let isKept = true; // whether this browser remembers

// Small helpers

function $(id) {
  return document.getElementById(id);
}

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

// Text of anyone's, with nothing hidden in it, and kept from turning the line around it.
function shown(text, limit = 300) {
  const spelt = Array.from(text.slice(0, limit), (character) =>
    /[\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/u.test(character)
      ? `⟨U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`
      : character).join("");
  return text.length > limit ? `${spelt}…` : spelt;
}

function name(text, limit) {
  return make("bdi", "", shown(text, limit));
}

function say(text, isAlert = false) {
  $("said").textContent = text;
  $("said").classList.toggle("alert", isAlert);
}

function isVerdict(value) {
  return Object.hasOwn(WORDS, value);
}

function snapshot() {
  return JSON.stringify([verdicts, notes]);
}

function isSaved() {
  return snapshot() === saved;
}

// Remembering in this browser

function remember() {
  const changed = {};
  rows.forEach((_, row) => {
    if (verdicts[row] !== of(row, "verdict") || notes[row] !== of(row, "note")) {
      changed[row] = [verdicts[row], notes[row]];
    }
  });
  try {
    localStorage.setItem(sheet.storage, JSON.stringify(changed));
    isKept = true;
  } catch {
    isKept = false;
  }
}

function recall() {
  let changed;
  try {
    changed = JSON.parse(localStorage.getItem(sheet.storage) ?? "{}");
  } catch {
    isKept = false;
    return 0;
  }
  rows.forEach((_, row) => {
    [verdicts[row], notes[row]] = [of(row, "verdict"), of(row, "note")];
  });
  let count = 0;
  for (const [row, said] of Object.entries(changed ?? {})) {
    if (rows[row] && Array.isArray(said) && isVerdict(said[0]) && typeof said[1] === "string") {
      [verdicts[row], notes[row]] = said;
      count += 1;
    }
  }
  return count;
}

// Cards

function skeleton(card, index) {
  const article = make("article");
  article.tabIndex = -1;
  article.dataset.index = index;
  const height = Math.max(card.rows * card.cell, card.large + 45, 215) + 28;
  article.style.containIntrinsicSize = `auto ${height}px`;
  return article;
}

function fill(index) {
  const article = articles[index];
  if (article.childElementCount) return;
  const card = cards[index];
  if (card.tiles) article.append(scene(card), enlarged(card));
  article.append(about(card, index));
  dress(index);
}

function picture(tile) {
  return `data:${sheet.media};base64,${sheet.tiles[tile]}`;
}

function scene(card) {
  const grid = make("div", "scene", make("i"));
  grid.setAttribute("role", "img");
  grid.setAttribute("aria-label",
    `${card.rows} rows and ${card.cols} columns, one cell is the exception`);
  grid.style.width = `${card.cols * card.cell}px`;
  grid.style.height = `${card.rows * card.cell}px`;
  grid.style.backgroundSize = `${card.cell}px`;
  const exception = grid.firstChild;
  exception.style.left = `${(card.hole % card.cols) * card.cell}px`;
  exception.style.top = `${Math.floor(card.hole / card.cols) * card.cell}px`;
  exception.style.width = exception.style.height = `${card.cell}px`;
  exception.style.backgroundSize = `${card.cell}px`;
  return grid;
}

function pointer(index) {
  const where = make("button", "", make("kbd", "", "w"), " Where?");
  where.type = "button";
  where.title = "Point here, or hold w, to see the exception";
  for (const event of ["pointerenter", "pointerdown", "focus"]) {
    where.addEventListener(event, () => reveal(articles[index], true));
  }
  for (const event of ["pointerleave", "pointercancel", "blur"]) {
    where.addEventListener(event, () => reveal(articles[index], false));
  }
  return where;
}

function enlarged(card) {
  const row = card.row;
  const tiles = ["a", "b"].map((side, place) => {
    const image = make("img");
    image.src = picture(card.tiles[2 + place]);
    image.width = image.height = card.large;
    image.alt = "";
    const caption = make("figcaption", "", name(of(row, side), 120));
    const figure = make("figure", "", image, caption);
    figure.style.width = `${card.large}px`;
    return figure;
  });
  return make("div", "tiles", ...tiles);
}

function about(card, index) {
  const row = card.row;
  const title = make("h2", "", make("b", "", `${row + 1}`), name(of(row, "key"), 120));
  const place = [card.subset, of(row, "group")].filter((text, at, all) => all.indexOf(text) === at);
  const where = make("p", "", name(place.filter(Boolean).join(" · "), 200));
  const about = make("div", "about", title, where);
  for (const warning of warnings(card)) about.append(make("p", "warning", warning));
  const measures = make("dl", "measures");
  for (const [measure, label, digits] of MEASURES) {
    const value = of(row, measure);
    if (value === "" || Number.isNaN(Number(value))) continue;
    measures.append(make("dt", "", label), make("dd", "", Number(value).toFixed(digits)));
  }
  const verdict = make("div", "verdicts");
  for (const [kind, key, label] of [
    ["accept", "a", "Accept"], ["refuse", "r", "Refuse"], ["", "u", "Undecided"],
  ]) {
    const button = make("button", { accept: "accepting", refuse: "refusing" }[kind] ?? "",
      make("kbd", "", key), ` ${label}`);
    button.type = "button";
    button.dataset.verdict = kind;
    button.addEventListener("click", () => {
      go(index, false);
      decide(kind);
    });
    verdict.append(button);
  }
  if (card.tiles) verdict.append(pointer(index));
  const input = make("input");
  input.maxLength = 500;
  input.addEventListener("input", () => note(index, input.value));
  const label = make("label", "note", make("span", "", make("kbd", "", "n"), " Note"), input);
  about.append(measures, verdict, label);
  return about;
}

function warnings(card) {
  const refusal = of(card.row, "refusal");
  const said = [];
  if (refusal) said.push(`Not admitted: ${shown(refusal, 80)}`);
  if (!card.tiles) said.push("Not among the candidates any more, or it cannot be drawn.");
  if (card.changed) said.push("Its art has changed since it was mined: mine the list anew.");
  return said;
}

// Bring a card up to what is known of it.
function dress(index) {
  const [article, card] = [articles[index], cards[index]];
  const verdict = verdicts[card.row];
  article.classList.toggle("accept", verdict === "accept");
  article.classList.toggle("refuse", verdict === "refuse");
  article.classList.toggle("current", index === current);
  if (index === current) article.setAttribute("aria-current", "true");
  else article.removeAttribute("aria-current");
  article.setAttribute("aria-label",
    `Pair ${card.row + 1}: ${shown(of(card.row, "key"), 120)}, ${WORDS[verdict]}`);
  if (!article.childElementCount) return;
  for (const button of article.querySelectorAll("[data-verdict]")) {
    button.setAttribute("aria-pressed", String(button.dataset.verdict === verdict));
  }
  const input = article.querySelector(".note input");
  if (input.value !== notes[card.row]) input.value = notes[card.row];
  if (!card.tiles) return;
  article.classList.toggle("swapped", Boolean(card.isSwapped));
  const [majority, exception] = card.isSwapped ? [1, 0] : [0, 1];
  const grid = article.querySelector(".scene");
  grid.style.backgroundImage = `url("${picture(card.tiles[majority])}")`;
  grid.firstChild.style.backgroundImage = `url("${picture(card.tiles[exception])}")`;
}

function reveal(article, isShown) {
  article?.classList.toggle("revealed", isShown);
}

// What a person does

function isListed(index) {
  return !articles[index].hidden;
}

function neighbour(index, step) {
  for (let next = index + step; next >= 0 && next < cards.length; next += step) {
    if (isListed(next)) return next;
  }
  return -1;
}

function go(index, isScrolled = true) {
  if (index < 0) return false;
  const before = current;
  current = index;
  if (before >= 0 && before !== index) {
    reveal(articles[before], false);
    dress(before);
  }
  fill(index);
  dress(index);
  if (isScrolled) {
    articles[index].focus({ preventScroll: true });
    articles[index].scrollIntoView({ block: "center" });
    for (const step of [-1, 1]) {
      const next = neighbour(index, step);
      if (next >= 0) fill(next);
    }
  }
  return true;
}

function decide(verdict) {
  if (current < 0) return;
  const index = current;
  const row = cards[index].row;
  if (verdict === "" && verdicts[row] === "") {
    takeBack();
    return;
  }
  verdicts[row] = verdict;
  if (verdict !== "") history.push(index);
  remember();
  dress(index);
  count();
  say(`Pair ${row + 1} ${WORDS[verdict]}`);
  if (verdict === "") return;
  if (!go(neighbour(index, 1))) say(`Pair ${row + 1} ${WORDS[verdict]}: it was the last one shown`);
}

// The last verdict that still stands.
function takeBack() {
  while (history.length) {
    const index = history.pop();
    if (verdicts[cards[index].row] === "") continue;
    articles[index].hidden = false;
    go(index);
    decide("");
    return;
  }
  say("No verdict to take back");
}

function note(index, text) {
  notes[cards[index].row] = text;
  remember();
  count();
}

function choose(kind) {
  filter = kind;
  articles.forEach((article, index) => {
    article.hidden = kind !== "all" && verdicts[cards[index].row] !== kind;
  });
  count();
  $("none").hidden = articles.some((_, index) => isListed(index));
  const next = current >= 0 && isListed(current) ? current
    : Math.max(neighbour(current, 1), neighbour(current, -1));
  if (next < 0) {
    if (current >= 0) articles[current].classList.remove("current");
    current = -1;
  } else go(next);
}

function count() {
  const counts = { all: cards.length, accept: 0, refuse: 0, "": 0 };
  for (const card of cards) counts[verdicts[card.row]] += 1;
  for (const button of $("filters").children) {
    const kind = button.dataset.kind;
    button.querySelector("b").textContent = counts[kind].toLocaleString("en");
    button.setAttribute("aria-pressed", String(kind === filter));
  }
  const [accepted, refused] = $("progress").children;
  accepted.style.width = `${(100 * counts.accept) / Math.max(1, cards.length)}%`;
  refused.style.width = `${(100 * counts.refuse) / Math.max(1, cards.length)}%`;
  $("progress").setAttribute("aria-label", `${counts.accept} accepted, ${counts.refuse} refused, `
    + `${counts[""]} undecided of ${cards.length}`);
  $("save").classList.toggle("unsaved", !isSaved());
}

// Files

function field(text) {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

function asCsv() {
  const lines = rows.map((values, row) => {
    const line = [...values];
    [line[column.verdict], line[column.note]] = [verdicts[row], notes[row]];
    return line;
  });
  return [columns, ...lines].map((line) => `${line.map(field).join(",")}\n`).join("");
}

function save() {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([asCsv()], { type: "text/csv" }));
  link.download = sheet.file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  saved = snapshot();
  count();
  say(`Saved as ${shown(sheet.file)} among your downloads`);
}

// RFC 4180, line ends of any kind. Rows of text.
function parseCsv(text) {
  const lines = [[""]];
  let isQuoted = false;
  for (let place = 0; place < text.length; place += 1) {
    const character = text[place];
    const line = lines[lines.length - 1];
    if (isQuoted) {
      if (character !== '"') line[line.length - 1] += character;
      else if (text[place + 1] === '"') {
        line[line.length - 1] += '"';
        place += 1;
      } else isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === ",") line.push("");
    else if (character === "\n" || character === "\r") {
      if (character === "\r" && text[place + 1] === "\n") place += 1;
      lines.push([""]);
    } else line[line.length - 1] += character;
  }
  return lines.filter((line) => line.length > 1 || line[0] !== "");
}

async function load(file) {
  const [head, ...lines] = parseCsv((await file.text()).replace(/^\ufeff/, ""));
  const place = Object.fromEntries((head ?? []).map((title, at) => [title, at]));
  if (!("key" in place && "verdict" in place)) {
    say(`${shown(file.name)} is not a list of pairs: it has no columns key and verdict`, true);
    return;
  }
  const known = new Map(rows.map((_, row) => [naming((title) => of(row, title)), row]));
  let [taken, strange] = [0, 0];
  for (const line of lines) {
    const value = (title) => line[place[title]] ?? "";
    const row = known.get(naming(value));
    const verdict = value("verdict").trim().toLowerCase();
    if (!isVerdict(verdict) || row === undefined) strange += 1;
    else if (verdict !== "" || value("note") !== "") {
      verdicts[row] = verdict;
      notes[row] = value("note");
      taken += 1;
    }
  }
  remember();
  articles.forEach((_, index) => dress(index));
  choose(filter);
  say(`${taken} verdicts and notes taken from ${shown(file.name)}`
    + (strange ? `; ${strange} of its pairs are not in this list` : ""), strange > 0);
}

function naming(value) {
  return JSON.stringify(["subset", "group", "key"].map(value));
}

// Start

const KEYS = {
  j: () => go(neighbour(current, 1)), ArrowDown: () => go(neighbour(current, 1)),
  ArrowRight: () => go(neighbour(current, 1)),
  k: () => go(neighbour(current, -1)), ArrowUp: () => go(neighbour(current, -1)),
  ArrowLeft: () => go(neighbour(current, -1)),
  Home: () => go(neighbour(-1, 1)), End: () => go(neighbour(cards.length, -1)),
  a: () => decide("accept"), r: () => decide("refuse"), u: () => decide(""),
  n: () => { if (go(current)) articles[current].querySelector(".note input").focus(); },
  x: () => {
    if (current < 0) return;
    cards[current].isSwapped = !cards[current].isSwapped;
    dress(current);
  },
  w: () => reveal(articles[current], true), " ": () => reveal(articles[current], true),
  f: () => {
    const place = FILTERS.findIndex(([kind]) => kind === filter);
    choose(FILTERS[(place + 1) % FILTERS.length][0]);
  },
  s: save, "?": () => $("keys").showModal(),
};

let noteBefore = "";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  const target = event.target;
  if (target instanceof HTMLInputElement && target.type !== "file") {
    if (event.key === "Escape") {
      target.value = noteBefore;
      target.dispatchEvent(new Event("input"));
    }
    if (event.key === "Enter" || event.key === "Escape") articles[current]?.focus();
    return;
  }
  if (event.key === " " && target instanceof HTMLButtonElement) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!Object.hasOwn(KEYS, key)) return;
  event.preventDefault();
  if (!event.repeat || key.startsWith("Arrow") || "jk".includes(key)) KEYS[key]();
});
document.addEventListener("keyup", (event) => {
  if (event.key === " " || event.key.toLowerCase() === "w") reveal(articles[current], false);
});
window.addEventListener("blur", () => reveal(articles[current], false));
document.addEventListener("focusin", (event) => {
  const article = event.target.closest?.("article");
  if (article && Number(article.dataset.index) !== current) {
    go(Number(article.dataset.index), false);
  }
  if (event.target instanceof HTMLInputElement) noteBefore = event.target.value;
});
$("cards").addEventListener("pointerdown", (event) => {
  const article = event.target.closest("article");
  if (article) go(Number(article.dataset.index), false);
});
// A verdict must never fall on a pair that is out of sight.
let isWaiting = false;
window.addEventListener("scroll", () => {
  if (isWaiting) return;
  isWaiting = true;
  requestAnimationFrame(() => {
    isWaiting = false;
    const box = articles[current]?.getBoundingClientRect();
    const top = document.querySelector("header").offsetHeight;
    if (!box || (box.bottom > top + 40 && box.top < innerHeight - 40)) return;
    const middle = document.elementFromPoint(innerWidth / 3, (top + innerHeight) / 2);
    const article = middle?.closest("article");
    if (!article) return;
    go(Number(article.dataset.index), false);
    article.focus({ preventScroll: true });
  });
}, { passive: true });
window.addEventListener("storage", (event) => {
  if (event.key !== sheet.storage) return; // the same sheet in another tab
  recall();
  articles.forEach((_, index) => dress(index));
  count();
});
window.addEventListener("beforeunload", (event) => {
  if (!isKept && !isSaved()) event.preventDefault();
});

for (const event of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(event, (drag) => {
    drag.preventDefault();
    document.body.classList.toggle("dropping", event === "dragover");
    const file = event === "drop" && drag.dataTransfer.files[0];
    if (file) load(file);
  });
}
$("file").addEventListener("change", () => {
  if ($("file").files[0]) load($("file").files[0]);
  $("file").value = "";
});
$("save").addEventListener("click", save);
$("help").addEventListener("click", () => $("keys").showModal());

for (const [kind, label] of FILTERS) {
  const button = make("button", "", `${label} `, make("b"));
  button.type = "button";
  button.dataset.kind = kind;
  button.addEventListener("click", () => choose(kind));
  $("filters").append(button);
}
const recalled = recall();
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting) {
      watcher.unobserve(entry.target);
      fill(Number(entry.target.dataset.index));
    }
  }
}, { rootMargin: "1500px" });
cards.forEach((card, index) => {
  articles.push(skeleton(card, index));
  watcher.observe(articles[index]);
});
$("cards").append(...articles);
articles.forEach((_, index) => dress(index));
choose("all");
const start = cards.findIndex((card) => verdicts[card.row] === "");
go(start > 0 ? start : current);
if (recalled) say(`${recalled} changes of last time are here again; press ? for the keys`);
else say("Press ? for the keys");
remember();
if (!isKept) {
  say("This browser keeps nothing between visits of this page: save before you close it", true);
}
