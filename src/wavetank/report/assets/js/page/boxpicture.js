// Saving charts that are elements of the page (tables, lists and bars): a picture of their boxes and texts.

const EDGE = 8; // pixels around a picture

/** Adds buttons behind each element of `tables`, which has the rows by the ids of the elements, a heading first, and behind all other tables. */
function addTableDownloads(tables) {
  for (const [id, rows] of Object.entries(tables)) addDownloads(byId(id), () => ({ name: id, picture: boxPicture(byId(id)), rows: () => rows }));
  addCsvOfTables();
}

/** An element as an SVG element: grounds, borders, texts and pictures where the page has them. */
function boxPicture(host) {
  const { left, top } = host.getBoundingClientRect();
  const picture = svg("svg"), place = (box) => ({ x: box.left - left + EDGE, y: box.top - top + EDGE, width: box.width, height: box.height });
  const far = { right: 0, bottom: 0 };
  const visit = (element) => {
    const box = place(element.getBoundingClientRect()), style = getComputedStyle(element);
    if (!box.width || !box.height || style.visibility === "hidden" || element.classList.contains("unseen")) return;
    Object.assign(far, { right: Math.max(far.right, box.x + box.width), bottom: Math.max(far.bottom, box.y + box.height) });
    if (element instanceof SVGElement) return void picture.append(fill(styledCopy(element), box, []));
    picture.append(...boxParts(box, style));
    for (const child of element.childNodes) {
      if (child.nodeType === Node.ELEMENT_NODE) visit(child);
      else if (child.textContent.trim()) picture.append(...textParts(child, style, place, style.overflowX === "hidden" ? box : null));
    }
  };
  visit(host);
  return fill(picture, { width: Math.ceil(far.right) + EDGE, height: Math.ceil(far.bottom) + EDGE }, []);
}

/** The ground of a box, its border if it has one at all sides, or below, and its outline. */
function boxParts({ x, y, width, height }, style) {
  const ground = plainColour(style.backgroundColor), line = parseFloat(style.borderBottomWidth), around = line && parseFloat(style.borderTopWidth);
  const border = { stroke: plainColour(style.borderBottomColor), "stroke-width": line, "stroke-dasharray": style.borderBottomStyle === "dashed" ? "4 3" : null };
  const parts = [];
  if (!/^rgba\(.*, 0\)$/.test(ground) || around) {
    const inset = around ? line / 2 : 0;
    parts.push(svg("rect", { x: x + inset, y: y + inset, width: width - 2 * inset, height: height - 2 * inset, rx: parseFloat(style.borderTopLeftRadius) || 0,
      fill: ground, ...(around && border), opacity: style.opacity }));
  }
  if (style.outlineStyle === "solid") {
    const outline = { stroke: plainColour(style.outlineColor), "stroke-width": parseFloat(style.outlineWidth), fill: "none" };
    parts.push(svg("rect", { x, y, width, height, rx: parseFloat(style.borderTopLeftRadius) || 0, ...outline }));
  }
  if (line && !around) parts.push(svg("line", { x1: x, x2: x + width, y1: y + height, y2: y + height, ...border }));
  return parts;
}

/** A text where the page has it, word by word, also inside hyphens, if it goes over several lines; `cut` is the box outside of which it is not seen. */
function textParts(node, style, place, cut) {
  const range = document.createRange();
  range.selectNodeContents(node);
  const words = range.getClientRects().length > 1 ? [...node.data.matchAll(/[^\s-]+-?|-/g)].map((match) => [match.index, match[0].length]) : [[0, node.length]];
  const look = { fill: plainColour(style.color), "font-size": style.fontSize, "font-weight": style.fontWeight, "font-family": style.fontFamily };
  const parts = words.map(([from, length]) => {
    range.setStart(node, from);
    range.setEnd(node, from + length);
    const { x, y, width, height } = place(range.getBoundingClientRect());
    const text = node.data.slice(from, from + length).trim().replace(/\s+/g, " ");
    return svg("text", { x, y: y + height * 0.77, textLength: Math.ceil(width), lengthAdjust: "spacingAndGlyphs", ...look }, text);
  });
  return cut ? [svg("svg", { ...cut, viewBox: Object.values(cut).join(" ") }, ...parts)] : parts;
}
