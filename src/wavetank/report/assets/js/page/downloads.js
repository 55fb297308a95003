// Saving a chart as SVG and its data as CSV.

const DRAWN = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "font-weight", "opacity", "visibility", "paint-order"];
const LEGEND_ROW = 20;

/** Adds buttons behind a chart; `chart()` gives its file name, its picture (an SVG element) and its rows, a heading first. */
function addDownloads(host, chart) {
  host.dataset.saved = "";
  host.after(chartDownloads(host.id, chart));
}

/** The buttons of a chart; they name it for screen readers. */
function chartDownloads(label, chart) {
  const saveSvg = () => save(chart().name, "svg", "image/svg+xml", svgText(chart()));
  const saveCsv = () => save(chart().name, "csv", "text/csv", csvText(chart().rows()));
  return el("div", { class: "downloads" }, downloadButton("SVG", `Download ${label} as SVG`, saveSvg), downloadButton("CSV", `Download the data of ${label} as CSV`, saveCsv));
}

/** The button of a table; `rows()` are its rows, a heading first. */
function tableDownload(label, name, rows) {
  const saveCsv = () => save(name(), "csv", "text/csv", csvText(rows()));
  return el("div", { class: "downloads" }, downloadButton("CSV", `Download ${label} as CSV`, saveCsv));
}

/** Adds a button behind each table that has none yet; what it saves are the cells as they are then. */
function addCsvOfTables() {
  const named = new Map();
  for (const host of document.querySelectorAll('.scroll[aria-label="Table"]')) {
    if (host.closest("[data-saved]")) continue;
    const place = host.id || (host.closest("section")?.id ?? "table"), count = (named.get(place) ?? 0) + 1;
    named.set(place, count);
    const name = count > 1 ? `${place}-${count}` : place;
    host.after(tableDownload(`the table ${name}`, () => name, () => tableRows(host)));
  }
}

function downloadButton(text, label, save) {
  return el("button", { type: "button", "aria-label": label, onclick: save }, text);
}

/** The cells of a table as they are shown; numbers are without separators of thousands, and a dash is nothing. */
function tableRows(host) {
  const cell = (text) => (/^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text === "–" ? "" : text);
  return [...host.querySelectorAll("tr")].map((row) => [...row.cells].map(({ textContent }) => cell(textContent.trim().replace(/\s+/g, " "))));
}

function save(chart, extension, type, text) {
  const name = `${document.title.split(" · ")[0]}-${chart}`.replace(/[^\w.-]+/g, "-");
  const link = el("a", { download: `${name}.${extension}`, href: URL.createObjectURL(new Blob([text], { type })) });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A picture that looks the same without the page's style, with its legend below it. */
function svgText({ picture, legend = [] }) {
  const copy = styledCopy(picture), width = Number(picture.getAttribute("width")), height = Number(picture.getAttribute("height"));
  const style = getComputedStyle(document.body), ground = getComputedStyle(document.documentElement).getPropertyValue("--ground").trim();
  legend.forEach(({ index, name }, row) => {
    const line = styledCopy(picture.querySelector(`.line.${look(index).colour} path`) ?? svg("path"));
    fill(line, { d: `M52 ${height + row * LEGEND_ROW + 10}h28`, fill: "none" }, []);
    const text = svg("text", { x: 88, y: height + row * LEGEND_ROW + 14, fill: style.color, "font-size": 12, "font-family": "sans-serif" }, name);
    copy.append(line, text);
  });
  const total = height + legend.length * LEGEND_ROW + (legend.length ? 8 : 0);
  fill(copy, { xmlns: SVG, width, height: total, viewBox: `0 0 ${width} ${total}` }, []);
  copy.prepend(svg("rect", { width, height: total, fill: ground }));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

/** A copy of an element of the page in which every element has the colours and lines that it is drawn with. */
function styledCopy(element) {
  const copy = element.cloneNode(false);
  const style = element.isConnected ? getComputedStyle(element) : null;
  for (const name of DRAWN) {
    const value = style?.getPropertyValue(name);
    if (value) copy.setAttribute(name, name === "fill" || name === "stroke" ? plainColour(value) : value);
  }
  for (const name of ["class", "tabindex", "role"]) copy.removeAttribute(name);
  for (const child of element.childNodes) copy.append(child.nodeType === Node.ELEMENT_NODE ? styledCopy(child) : child.cloneNode());
  return copy;
}

const plainColours = new Map();

/** A colour as red, green and blue: programs that draw SVG do not know the spaces in which a page mixes its colours. */
function plainColour(colour) {
  if (!/^(color|oklab|oklch|lab|lch)\(/.test(colour)) return colour;
  if (!plainColours.has(colour)) {
    const context = fill(document.createElement("canvas"), { width: 1, height: 1 }, []).getContext("2d");
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
    plainColours.set(colour, `rgba(${red}, ${green}, ${blue}, ${Number((alpha / 255).toFixed(3))})`);
  }
  return plainColours.get(colour);
}

/** Rows as CSV; what is not known is empty. */
function csvText(rows) {
  const cell = (value) => {
    if (value === null) return "";
    if (Number.isInteger(value)) return String(value);
    if (typeof value === "number") return Number.isFinite(value) ? String(Number(value.toPrecision(9))) : "";
    return /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  };
  return `${rows.map((row) => row.map(cell).join(",")).join("\n")}\n`;
}
