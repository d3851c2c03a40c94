"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const page = data.page;
  const byId = (id) => document.getElementById(id);
  const NONE = "–";
  const MOST_FOUND = 200;

  // The same text as Python's f"{x:.4f}": toFixed rounds exact halves up, Python to even.
  function fixed(size, digits) {
    const full = size.toFixed(60), cut = full.slice(0, full.length - 60 + digits);
    const half = /^50*$/.test(full.slice(full.length - 60 + digits));
    return half && Number(cut[cut.length - 1]) % 2 === 0 ? cut : size.toFixed(digits);
  }
  const grouped = (text) => text.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
  function value(x) {
    if (x === null || x === undefined) return NONE;
    return (x < 0 && x <= -0.00005 ? "−" : "") + grouped(fixed(Math.abs(x), 4));
  }
  function signed(x) {
    if (x === null || x === undefined) return NONE;
    if (Math.abs(x) < 0.00005) return "0.0000";
    return (x < 0 ? "−" : "+") + grouped(fixed(Math.abs(x), 4));
  }
  const counted = (n) => n.toLocaleString("en");
  const plain = (x) => (x === null ? NONE : String(x).replace("-", "−"));

  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, given] of Object.entries(attributes)) {
      if (given === null || given === false) continue;
      if (key.startsWith("on")) element.addEventListener(key.slice(2), given);
      else element.setAttribute(key, given === true ? "" : given);
    }
    element.append(...children.filter((child) => child !== null));
    return element;
  }
  const bdi = (text) => make("bdi", {}, text);

  const queries = data.per_query.queries;
  const valuesOf = (measure, run) => data.per_query.values[measure][run];
  const pairOf = (measure, run) => data.pairs.findIndex((pair) => pair.measure === measure && pair.run === run);
  function difference(measure, run, query) {
    const a = valuesOf(measure, data.baseline)[query], b = valuesOf(measure, run)[query];
    return a === null || b === null ? null : b - a;
  }
  function number(form, text, pointer) {
    return make("data", { "data-as": form, "data-key": pointer }, text);
  }
  const escaped = (step) => String(step).replaceAll("~", "~0").replaceAll("/", "~1");

  /* The plots of differences */
  const plots = byId("plots");
  const more = byId("more-plots");
  if (more) {
    plots.append(...more.querySelectorAll("figure"));
    more.remove();
  }
  const plotRun = byId("plot-run"), plotMeasure = byId("plot-measure");
  byId("plot-controls").hidden = plotRun.options.length * plotMeasure.options.length < 2;
  document.querySelectorAll(".js-only").forEach((one) => { one.hidden = page.rankings === null; });

  function showPlot() {
    const chosen = pairOf(plotMeasure.value, plotRun.value);
    for (const figure of plots.children) figure.hidden = Number(figure.dataset.pair) !== chosen;
  }
  plotRun.addEventListener("change", showPlot);
  plotMeasure.addEventListener("change", showPlot);
  showPlot();

  function label(query) {
    const text = page.query_texts[query];
    return text === null ? queries[query] : `${queries[query]}: ${text}`;
  }
  function described(pair, query) {
    const a = valuesOf(pair.measure, pair.baseline)[query], b = valuesOf(pair.measure, pair.run)[query];
    return `${label(query)}. ${pair.baseline} ${value(a)}, ${pair.run} ${value(b)}, difference ${signed(b - a)}`;
  }
  function interactive(figure) {
    const plot = figure.querySelector(".plot");
    if (!plot) return;
    const at = Number(figure.dataset.pair), pair = data.pairs[at], order = page.order[at];
    const places = Math.max(order.length, 24);
    const needle = make("div", { class: "needle", hidden: true });
    const said = make("span", {}, "Move over the bars, or use the arrow keys, to read each query.");
    const opener = make("button", { type: "button", hidden: true, onclick: () => open(order[current], pair.run, pair.measure) }, "Open this query");
    const readout = make("div", { class: "readout" }, said, opener);
    let current = -1, touched = -1;
    Object.entries({
      tabindex: "0", role: "slider", "aria-label": `Queries of ${pair.run} and ${pair.baseline} by difference in ${pair.measure}`,
      "aria-valuemin": "1", "aria-valuemax": String(order.length), "aria-valuenow": "1", "aria-valuetext": described(pair, order[0]),
    }).forEach(([key, given]) => plot.setAttribute(key, given));
    plot.append(needle);
    plot.after(readout);
    function choose(place) {
      current = Math.min(order.length - 1, Math.max(0, place));
      needle.hidden = false;
      needle.style.left = `${(100 * (current + 0.5)) / places}%`;
      said.textContent = described(pair, order[current]);
      opener.hidden = page.rankings === null;
      plot.setAttribute("aria-valuenow", String(current + 1));
      plot.setAttribute("aria-valuetext", said.textContent);
    }
    const placeOf = (event) => {
      const box = plot.getBoundingClientRect();
      return Math.floor(((event.clientX - box.left) / box.width) * places);
    };
    plot.addEventListener("pointermove", (event) => choose(placeOf(event)));
    plot.addEventListener("focus", () => { if (current < 0) choose(0); });
    plot.addEventListener("click", (event) => {
      choose(placeOf(event));
      const again = event.pointerType !== "touch" || touched === current;
      touched = current;
      if (again) open(order[current], pair.run, pair.measure);
    });
    plot.addEventListener("keydown", (event) => {
      const far = Math.max(1, Math.round(order.length / 10));
      const moves = { ArrowRight: current + 1, ArrowUp: current + 1, ArrowLeft: current - 1, ArrowDown: current - 1,
        PageUp: current + far, PageDown: current - far, Home: 0, End: order.length - 1 };
      if (event.key in moves) choose(moves[event.key]);
      else if (event.key === "Enter" || event.key === " ") open(order[current], pair.run, pair.measure);
      else return;
      event.preventDefault();
    });
  }
  for (const figure of plots.children) interactive(figure);

  /* The view of one query */
  const viewer = byId("viewer");
  function open(query, run, measure) {
    if (page.rankings === null) return;
    viewRun.value = run;
    viewMeasure.value = measure;
    find.value = "";
    list(query);
    show(query, true);
  }
  let viewRun, viewMeasure, viewOrder, find, found, place, shown = [], selected = -1, whole = false, long = false;
  if (viewer) {
    [viewRun, viewMeasure, viewOrder, find, found, place] =
      ["view-run", "view-measure", "view-order", "find", "found", "query"].map(byId);
    document.querySelectorAll(".no-js").forEach((one) => { one.hidden = true; });
    viewer.hidden = false;
    for (const one of [viewRun, viewMeasure, viewOrder]) {
      one.addEventListener("change", () => { list(selected); show(selected, false); });
    }
    find.addEventListener("input", () => list(selected));
    find.addEventListener("keydown", (event) => {
      const first = found.querySelector("button");
      if (!first) return;
      if (event.key === "ArrowDown") { focusOn(first); event.preventDefault(); }
      if (event.key === "Enter") first.click();
    });
    found.addEventListener("keydown", (event) => {
      const item = event.target.closest("li");
      const next = { ArrowDown: item?.nextElementSibling, ArrowUp: item?.previousElementSibling,
        Home: found.firstElementChild, End: found.lastElementChild }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      if (next === null) { if (event.key === "ArrowUp") find.focus(); return; }
      focusOn(next.querySelector("button"));
    });
    window.addEventListener("hashchange", fromAddress);
    list(-1);
    if (!fromAddress() && shown.length) show(shown[0], false);
  }

  function focusOn(button) {
    for (const one of found.querySelectorAll("button")) one.tabIndex = -1;
    button.tabIndex = 0;
    button.focus();
  }
  function ordered() {
    const run = viewRun.value, measure = viewMeasure.value;
    const all = queries.map((_, query) => query);
    if (viewOrder.value === "name") return all.sort((a, b) => queries[a].localeCompare(queries[b], "en", { numeric: true }));
    const sign = viewOrder.value === "loss" ? 1 : -1;
    const of = all.map((query) => difference(measure, run, query));
    return all.sort((a, b) => (of[a] === null) - (of[b] === null) || sign * (of[a] - of[b]) || a - b);
  }
  function list(keep) {
    const wanted = find.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const all = ordered().filter((query) => wanted.every((word) => label(query).toLowerCase().includes(word)));
    shown = all;
    const listed = all.slice(0, MOST_FOUND);
    if (keep >= 0 && all.includes(keep) && !listed.includes(keep)) listed.push(keep);
    found.replaceChildren(...listed.map((query) => {
      const change = difference(viewMeasure.value, viewRun.value, query);
      const button = make("button", { type: "button", "data-query": query, tabindex: "-1", onclick: () => show(query, true) },
        make("span", { class: "label" }, bdi(label(query))), make("span", {}, change === null ? "undefined" : signed(change)));
      return make("li", {}, button);
    }));
    const rest = all.length - Math.min(all.length, MOST_FOUND);
    byId("found-count").textContent = `${counted(all.length)} of ${counted(queries.length)} ${queries.length === 1 ? "query" : "queries"}` +
      (rest ? `; the first ${MOST_FOUND} are listed, write more to narrow them down` : "");
    const first = found.querySelector(`[data-query="${keep}"]`) || found.querySelector("button");
    if (first) first.tabIndex = 0;
    current();
  }
  function current() {
    for (const button of found.querySelectorAll("button")) {
      if (Number(button.dataset.query) === selected) {
        button.setAttribute("aria-current", "true");
        found.scrollTop = Math.max(0, button.offsetTop - found.offsetTop - 60);
      } else button.removeAttribute("aria-current");
    }
  }
  function address() {
    return `#query=${encodeURIComponent(queries[selected])}&run=${encodeURIComponent(viewRun.value)}&measure=${encodeURIComponent(viewMeasure.value)}`;
  }
  function fromAddress() {
    if (!location.hash.startsWith("#query=")) return false;
    const asked = new URLSearchParams(location.hash.slice(1));
    const query = queries.indexOf(asked.get("query"));
    if (query < 0 || (query === selected && location.hash === address())) return false;
    const run = [...viewRun.options].some((one) => one.value === asked.get("run")) ? asked.get("run") : viewRun.value;
    const measure = page.measures.includes(asked.get("measure")) ? asked.get("measure") : viewMeasure.value;
    open(query, run, measure);
    return true;
  }

  function show(query, moveTo) {
    if (query < 0) return;
    selected = query;
    render();
    current();
    if (!moveTo) return;
    history.replaceState(null, "", address());
    place.querySelector("h3").focus({ preventScroll: true });
    place.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }
  function step(by) {
    const at = shown.indexOf(selected) + by;
    if (at < 0 || at >= shown.length) return;
    show(shown[at], false);
    history.replaceState(null, "", address());
    place.querySelector(by < 0 ? "#previous" : "#next").focus({ preventScroll: true });
  }
  function render() {
    const here = page.rankings[selected], run = viewRun.value;
    const sides = [data.baseline, run].map((name) => page.runs.indexOf(name));
    const text = page.query_texts[selected];
    const longest = Math.max(0, ...sides.map((side) => here.lists[side]?.length ?? 0));
    const depth = whole ? page.depth : page.product_depth;
    place.setAttribute("aria-label", `Query ${label(selected)}`);
    place.replaceChildren(
      make("h3", { tabindex: "-1" }, bdi(text ?? queries[selected]), text === null ? null : make("small", {}, " ", bdi(queries[selected]))),
      make("div", { class: "stepper" },
        make("button", { type: "button", id: "previous", onclick: () => step(-1) }, "← Previous"),
        make("button", { type: "button", id: "next", onclick: () => step(1) }, "Next →")),
      make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Values of this query" }, table(run)),
      make("div", { class: "sides" }, ...sides.map((side, i) => column(here, side, sides[1 - i], depth, i === 0))),
      make("div", { class: "stepper" },
        longest > page.product_depth ? make("button", { type: "button", class: "more", "aria-expanded": String(whole), onclick: () => { whole = !whole; again(".more"); } },
          whole ? `Show the first ${page.product_depth} only` : `Show the first ${Math.min(longest, page.depth)}`) : null,
        here.docs.some((doc) => Object.hasOwn(page.texts, doc)) ? make("button", { type: "button", class: "lengthen", "aria-expanded": String(long), onclick: () => { long = !long; again(".lengthen"); } },
          long ? "Shorten the texts" : "Show more of the texts") : null),
      missed(here, sides),
    );
    place.classList.toggle("long", long);
    stops();
  }
  function again(button) {
    render();
    place.querySelector(button).focus({ preventScroll: true });
  }
  function table(run) {
    const head = ["Measure", data.baseline, run, "Difference"].map((text, i) => make("th", { scope: "col", class: i ? "right" : null }, bdi(text)));
    const rows = page.measures.map((measure) => {
      const cells = [data.baseline, run].map((name) => make("td", { class: "right" }, number("value", value(valuesOf(measure, name)[selected]),
        `/per_query/values/${escaped(measure)}/${escaped(name)}/${selected}`)));
      return make("tr", {}, make("th", { scope: "row" }, measure), ...cells, make("td", { class: "right" }, signed(difference(measure, run, selected))));
    });
    return make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
  }
  function column(here, side, other, depth, isBaseline) {
    const docs = here.lists[side], name = page.runs[side];
    const title = make("h4", {}, bdi(name), isBaseline ? make("span", { class: "quiet" }, " (baseline)") : null);
    if (docs === null) return make("div", {}, title, make("p", { class: "quiet" }, "No results for this query."));
    const items = docs.slice(0, depth).map((doc, i) => card(here, side, other, doc, i + 1, isBaseline));
    if (whole && docs.length > page.product_depth) {
      items.splice(page.product_depth, 0, make("li", { class: "fold" }, `the product shows the first ${page.product_depth}`));
    }
    return make("div", {}, title, make("ol", {}, ...items));
  }
  function gradeOf(grade) {
    if (grade === null) return make("span", { class: "grade" }, "? unjudged");
    const top = Math.round(page.top_grade), pips = top <= 6 && grade >= 0 && Number.isInteger(grade);
    return make("span", { class: "grade" }, `grade ${plain(grade)} `,
      pips ? make("span", { class: "pips", "aria-hidden": "true" }, "●".repeat(grade) + "○".repeat(Math.max(0, top - grade))) : null);
  }
  function card(here, side, other, doc, rank, isBaseline) {
    const grade = here.grades[doc], id = here.docs[doc];
    const kind = grade === null ? "unjudged" : grade > 0 ? "relevant" : "judged";
    const there = here.lists[other] === null ? -1 : here.lists[other].indexOf(doc);
    const body = make("div", {}, make("div", { class: "id" }, bdi(id)),
      make("div", { class: "tags" }, gradeOf(grade), moved(there + 1, rank, page.runs[other], doc, other, isBaseline, here.lists[other]),
        make("span", {}, "score ", plain(here.scores[side][rank - 1]))),
      Object.hasOwn(page.texts, id) ? make("div", { class: "text", dir: "auto" }, page.texts[id]) : null);
    const item = make("li", { class: `doc ${kind}`, "data-doc": doc, "data-side": side, tabindex: "-1" },
      make("span", { class: "rank" }, String(rank)), body);
    const link = (on) => () => place.querySelectorAll(`[data-doc="${doc}"]`).forEach((one) => one.classList.toggle("linked", on && there >= 0));
    for (const kind of ["pointerenter", "focusin"]) item.addEventListener(kind, link(true));
    for (const kind of ["pointerleave", "focusout"]) item.addEventListener(kind, link(false));
    return item;
  }
  function moved(there, here, name, doc, other, isBaseline, otherList) {
    if (!there) {
      const end = otherList === null ? `not in ${name}` : otherList.length < page.depth ? `not in ${name}` : `not in ${name}'s first ${page.depth}`;
      return make("span", {}, isBaseline ? `× ${end}` : `+ ${end}`);
    }
    const by = there - here;
    const words = isBaseline ? `rank ${there} in ${name}`
      : by === 0 ? `= same rank as in ${name}` : `${by > 0 ? "↑" : "↓"}${Math.abs(by)} from rank ${there}`;
    return make("button", { type: "button", class: "jump", title: `Go to it in ${name}`, onclick: () => {
      if (there > page.product_depth && !whole) { whole = true; render(); }
      place.querySelector(`[data-doc="${doc}"][data-side="${other}"]`)?.querySelector("button")?.focus();
    } }, words);
  }
  function missed(here, sides) {
    const inLists = new Set(sides.flatMap((side) => here.lists[side] ?? []));
    const left = here.docs.map((_, doc) => doc).filter((doc) => here.grades[doc] !== null && here.grades[doc] >= page.level && !inLists.has(doc));
    if (!left.length) return null;
    return make("div", { class: "missed" }, make("h4", {}, `Relevant, but not in the first ${page.depth} of either`),
      make("ul", {}, ...left.map((doc) => make("li", {}, make("span", { class: "id" }, bdi(here.docs[doc])), " ", gradeOf(here.grades[doc])))),
      here.more_missed ? make("p", { class: "quiet" }, `and ${here.more_missed} more that no run shows`) : null);
  }

  // Only a box that scrolls is a stop for the keyboard.
  function stops() {
    document.querySelectorAll(".scroll").forEach((box) => { box.tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1; });
  }
  window.addEventListener("resize", stops);
  document.addEventListener("toggle", stops, true);
  stops();

  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("details:not([open])").forEach((one) => { one.open = true; one.dataset.opened = ""; });
  });
  window.addEventListener("afterprint", () => {
    document.querySelectorAll("details[data-opened]").forEach((one) => { one.open = false; delete one.dataset.opened; });
  });
})();
