/* What a page can do beyond being read: nothing here is needed to see the numbers. */
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, properties = {}, ...inside) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...inside);
    return element;
  };
  const SVG = "http://www.w3.org/2000/svg";
  const draw = (tag, attributes) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const shown = (number) => (number === null ? "undefined" : number.toFixed(4));
  const short = (number) => String(Number(number.toPrecision(6)));

  // ---------------------------------------------------------------- tables sorted by a heading

  // The first number of a cell; text where there is none; what is undefined stands last.
  const key = (cell) => {
    const text = cell.textContent.trim();
    if (text === "" || text === "undefined") return null;
    const number = /^[<[(+]?\s*([-+]?\d[\d.]*(?:e[-+]?\d+)?)/i.exec(text);
    return number ? Number(number[1]) - (text.startsWith("<") ? 1e-9 : 0) : text.toLowerCase();
  };
  const compare = (a, b) => {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  };
  const sort = (table, place) => {
    const heading = table.tHead.rows[0].cells[place];
    const isText = heading.classList.contains("text");
    const first = isText ? "ascending" : "descending";
    const other = isText ? "descending" : "ascending";
    const order = heading.getAttribute("aria-sort") === first ? other : first;
    for (const cell of table.tHead.rows[0].cells) cell.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", order);
    const rows = [...table.tBodies[0].rows].map((row) => [key(row.cells[place]), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return order === "ascending" ? compare(a, b) : compare(b, a);
    });
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };
  for (const table of all("main table")) {
    if (table.tHead === null || table.closest(".matrix")) continue;
    const headings = [...table.tHead.rows[0].cells];
    // In a narrow window cells stand below each other, each after its heading.
    table.classList.add("stacked");
    for (const row of table.tBodies[0].rows) {
      headings.forEach((cell, place) => { row.cells[place].dataset.title = cell.textContent; });
    }
    if (table.tBodies[0].rows.length < 2) continue;
    headings.forEach((cell, place) => {
      const button = make("button", { type: "button", title: "sort by this column" });
      button.append(...cell.childNodes);
      button.addEventListener("click", () => sort(table, place));
      cell.append(button);
    });
  }

  // ---------------------------------------------------------------- what is wider than the page

  const reach = () => {
    for (const box of all(".wide")) {
      const isWide = box.scrollWidth > box.clientWidth + 1;
      box.tabIndex = isWide ? 0 : -1;
      if (isWide) box.setAttribute("role", "region");
      box.ariaLabel = isWide ? "table, scrolls sideways" : null;
    }
  };
  addEventListener("resize", reach);

  for (const link of all("nav a")) {
    link.addEventListener("click", () => {
      const part = document.querySelector(link.hash);
      if (part.tagName === "DETAILS") part.open = true;
    });
  }

  // ---------------------------------------------------------------- models and metrics

  const chosen = { models: new Set(data.models), metric: "" };
  const hide = (element, isHidden) => element.toggleAttribute("data-hidden", isHidden);
  const column = (table, titles) => {
    if (table.tHead === null) return [];
    const cells = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    return titles.map((title) => cells.indexOf(title)).filter((place) => place >= 0);
  };
  const choose = () => {
    const isOut = (model) => data.models.includes(model) && !chosen.models.has(model);
    for (const element of all("main [data-model]")) hide(element, isOut(element.dataset.model));
    for (const element of all("main [data-metric]")) {
      hide(element, chosen.metric !== "" && element.dataset.metric !== chosen.metric);
    }
    for (const table of all("main table")) {
      if (table.closest(".matrix")) continue;
      const ofModel = column(table, ["model", "against"]);
      const ofMetric = column(table, ["metric"]);
      const titles = column(table, data.metrics || []);
      const kept = chosen.metric === "" ? titles : column(table, [chosen.metric]);
      for (const row of table.rows) {
        for (const place of titles) hide(row.cells[place], !kept.includes(place));
      }
      for (const row of table.tBodies[0].rows) {
        const text = (place) => row.cells[place].textContent.trim();
        const other = chosen.metric !== "" && ofMetric.some((p) => text(p) !== chosen.metric);
        hide(row, other || ofModel.some((place) => isOut(text(place))));
      }
    }
    reach();
  };
  const host = document.getElementById("choose");
  if (data.models && data.models.length > 1) {
    const box = make("fieldset", {}, make("legend", { textContent: "Models" }));
    for (const model of data.models) {
      const input = make("input", { type: "checkbox", checked: true });
      input.addEventListener("change", () => {
        if (input.checked) chosen.models.add(model);
        else chosen.models.delete(model);
        choose();
      });
      box.append(make("label", {}, input, make("span", { textContent: model })));
    }
    host.append(box);
  }
  if (data.metrics && data.metrics.length > 1) {
    const select = make("select", {}, make("option", { value: "", textContent: "all" }));
    for (const metric of data.metrics) select.append(make("option", { textContent: metric }));
    select.addEventListener("change", () => {
      chosen.metric = select.value;
      choose();
    });
    select.ariaLabel = "Metric";
    const box = make("fieldset", {}, make("legend", { textContent: "Metric" }), select);
    host.append(box);
  }

  // ---------------------------------------------------------------- values under the pointer

  // The curve at an abscissa: where it rises at one, the highest value.
  const at = (curve, x) => {
    const { x: xs, y: ys } = curve;
    let after = xs.findIndex((value) => value > x);
    if (after === 0) return null;
    if (after < 0) return xs[xs.length - 1] === x ? ys[ys.length - 1] : null;
    const share = (x - xs[after - 1]) / (xs[after] - xs[after - 1]);
    return ys[after - 1] + share * (ys[after] - ys[after - 1]);
  };
  for (const box of all("[data-chart]")) {
    const svg = box.querySelector("svg");
    const figure = box.parentElement;
    const [left, top, wide, high] = box.dataset.frame.split(" ").map(Number);
    const curves = all("polyline.line[data-model]", svg).map((line) => {
      const points = line.getAttribute("points").split(" ").map((point) => point.split(","));
      const x = points.map(([px]) => (px - left) / wide);
      return { model: line.dataset.model, x, y: points.map(([, py]) => 1 - (py - top) / high) };
    });
    const line = draw("path", { class: "at", visibility: "hidden" });
    svg.append(line);
    const readout = make("p", { className: "readout", textContent: "Point at the curves, or use the arrow keys." });
    box.after(readout);
    const outputs = new Map(
      all(".legend li", figure).map((item) => {
        const output = make("output");
        item.querySelector("span").append(output);
        return [item.dataset.model, output];
      }),
    );
    let place = 0.1;
    const read = (x) => {
      place = Math.round(Math.min(1, Math.max(0, x)) * 100) / 100;
      line.setAttribute("d", `M${left + place * wide} ${top}v${high}`);
      line.setAttribute("visibility", "visible");
      readout.textContent = `${box.dataset.x} ${place.toFixed(2)}`;
      for (const curve of curves) {
        const y = at(curve, place);
        outputs.get(curve.model).textContent = y === null ? "" : y.toFixed(3);
      }
    };
    const point = (event) => {
      const { left: start, width } = svg.getBoundingClientRect();
      read((((event.clientX - start) / width) * svg.viewBox.baseVal.width - left) / wide);
    };
    svg.addEventListener("pointermove", point);
    svg.addEventListener("pointerdown", point);
    svg.tabIndex = 0;
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -0.01, ArrowRight: 0.01 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      read(place + step * (event.shiftKey ? 10 : 1));
    });
  }

  // ---------------------------------------------------------------- the threshold

  const slide = document.getElementById("slide");
  if (slide && data.thresholds) {
    const { models, labels, metrics } = data.thresholds;
    const select = make("select", { id: "slide-model" });
    models.forEach((own, k) => select.append(make("option", { value: k, textContent: own.model })));
    const range = make("input", { type: "range", min: 0, step: 1, id: "slide-threshold" });
    const value = make("output", { htmlFor: "slide-threshold" });
    const matrix = make("tbody");
    const list = make("tbody");
    const cell = (count, total, kind) => {
      const td = make("td", { className: `cell ${kind}` });
      const share = total > 0 ? count / total : 0;
      td.style.setProperty("--share", share);
      td.append(short(count), make("br"), make("small", { textContent: `${(100 * share).toFixed(1)}%` }));
      return td;
    };
    const row = (name, ...cells) =>
      make("tr", {}, make("th", { scope: "row", textContent: name }), ...cells);
    const update = () => {
      const own = models[select.value];
      const k = Number(range.value);
      const [negative, positive] = own.total;
      const tp = own.tp[k];
      const fp = own.fp[k];
      value.textContent = String(Number(own.t[k].toPrecision(4)));
      range.setAttribute("aria-valuetext", value.textContent);
      matrix.replaceChildren(
        row(labels[0], cell(negative - fp, negative, "right"), cell(fp, negative, "wrong")),
        row(labels[1], cell(positive - tp, positive, "wrong"), cell(tp, positive, "right")),
      );
      list.replaceChildren(
        ...metrics.map((name) =>
          row(name, make("td", { textContent: shown(own.values[name][k]) })),
        ),
      );
    };
    const turn = () => {
      const own = models[select.value];
      range.max = own.t.length - 1;
      range.value = own.start;
      update();
    };
    select.addEventListener("change", turn);
    range.addEventListener("input", update);
    const head = make("tr");
    for (const title of ["true \\ predicted", ...labels]) {
      head.append(make("th", { scope: "col", textContent: title }));
    }
    if (models.length > 1) slide.append(make("label", {}, "Model ", select));
    slide.append(
      make("label", {}, "Threshold ", value, range),
      make("div", { className: "two" },
        make("div", { className: "wide" }, make("table", {}, make("thead", {}, head), matrix)),
        make("div", { className: "wide" }, make("table", {}, list))),
    );
    turn();
  }

  // ---------------------------------------------------------------- paper shows everything

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    for (const part of closed) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of closed) part.open = false;
  });
  reach();
})();
