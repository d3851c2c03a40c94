"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const FEWEST = 14;

  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, given] of Object.entries(attributes)) element.setAttribute(key, given);
    element.append(...children);
    return element;
  }

  // A needle through all charts of a measure, moved by pointer or arrow keys; below them the day in words.
  function interactive(figure) {
    const at = Number(figure.dataset.trend), labels = data.page.labels[at];
    const plot = figure.querySelector(".plot"), places = Math.max(labels.length, FEWEST);
    const needle = make("div", { class: "needle" });
    const readout = make("div", { class: "readout" }, "Move over the days, or use the arrow keys, to read each.");
    let current = -1;
    needle.hidden = true;
    Object.entries({
      tabindex: "0", role: "slider", "aria-label": `Days of ${data.trends[at].measure}`, "aria-valuemin": "1",
      "aria-valuemax": String(labels.length), "aria-valuenow": String(labels.length), "aria-valuetext": labels[labels.length - 1],
    }).forEach(([key, given]) => plot.setAttribute(key, given));
    plot.append(needle);
    plot.after(readout);
    function choose(place) {
      current = Math.min(labels.length - 1, Math.max(0, place));
      needle.hidden = false;
      needle.style.left = `${(100 * (current + 0.5)) / places}%`;
      readout.textContent = labels[current];
      plot.setAttribute("aria-valuenow", String(current + 1));
      plot.setAttribute("aria-valuetext", labels[current]);
    }
    function placeOf(event) {
      const box = plot.getBoundingClientRect();
      return Math.floor(((event.clientX - box.left) / box.width) * places);
    }
    plot.addEventListener("pointermove", (event) => choose(placeOf(event)));
    plot.addEventListener("pointerdown", (event) => choose(placeOf(event)));
    plot.addEventListener("focus", () => { if (current < 0) choose(labels.length - 1); });
    plot.addEventListener("keydown", (event) => {
      const moves = { ArrowRight: current + 1, ArrowUp: current + 1, ArrowLeft: current - 1, ArrowDown: current - 1,
        PageUp: current + 7, PageDown: current - 7, Home: 0, End: labels.length - 1 };
      if (!(event.key in moves)) return;
      choose(moves[event.key]);
      event.preventDefault();
    });
  }
  document.querySelectorAll(".timeline").forEach(interactive);
})();
