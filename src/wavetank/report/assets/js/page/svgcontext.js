// A canvas whose drawing becomes an SVG element, for charts that are drawn on a canvas: the part of its context that they use.

class SvgContext {
  constructor(width, height) {
    this.picture = svg("svg", { width, height });
    this.layer = this.picture; // what is drawn goes here: the picture, or a clipped part of it
    this.measuring = document.createElement("canvas").getContext("2d");
    Object.assign(this, { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1, textAlign: "left", textBaseline: "alphabetic", dash: [], layers: [], path: [] });
  }

  get font() {
    return this.measuring.font;
  }

  set font(font) {
    this.measuring.font = font;
  }

  save() {
    this.layers.push(this.layer);
  }

  restore() {
    this.layer = this.layers.pop();
  }

  beginPath() {
    this.path = [];
  }

  rect(x, y, width, height) {
    this.clipBox = { x, y, width, height };
  }

  /** Draws into an inner picture, which cuts off what lies outside. */
  clip() {
    const { x, y, width, height } = this.clipBox;
    this.layer = this.layer.appendChild(svg("svg", { x, y, width, height, viewBox: `${x} ${y} ${width} ${height}` }));
  }

  moveTo(x, y) {
    this.path.push(`M${x} ${y}`);
  }

  lineTo(x, y) {
    this.path.push(`L${x} ${y}`);
  }

  setLineDash(dash) {
    this.dash = dash;
  }

  get pen() {
    return { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-dasharray": this.dash.join(" ") || null };
  }

  stroke() {
    this.layer.append(svg("path", { d: this.path.join(""), ...this.pen }));
  }

  fill() {
    this.layer.append(svg("path", { d: this.path.join(""), fill: this.fillStyle }));
  }

  fillRect(x, y, width, height) {
    const [left, top, across, down] = [x, y, width, height].map((value) => Number(value.toFixed(2)));
    this.layer.append(svg("rect", { x: left, y: top, width: across, height: down, fill: this.fillStyle, opacity: this.globalAlpha === 1 ? null : this.globalAlpha }));
  }

  strokeRect(x, y, width, height) {
    this.layer.append(svg("rect", { x, y, width, height, ...this.pen }));
  }

  fillText(text, x, y) {
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign], size = Number(/([\d.]+)px/.exec(this.font)[1]);
    const place = { x, y: this.textBaseline === "middle" ? y + size * 0.35 : y, "font-size": size, "font-family": "sans-serif", "text-anchor": anchor };
    this.layer.append(svg("text", { ...place, fill: this.fillStyle, "font-weight": /^(bold|[6-9]00) /.exec(this.font)?.[1] ?? null }, text));
  }

  measureText(text) {
    return this.measuring.measureText(text);
  }

  drawImage(image, x, y, width, height) {
    this.layer.append(svg("image", { href: image.toDataURL(), x, y, width, height, preserveAspectRatio: "none", style: "image-rendering: pixelated" }));
  }

  clearRect() {}

  setTransform() {}
}

/** What `paint` draws on a canvas that it is given, as an SVG element. */
function pictureOf(width, height, paint) {
  const context = new SvgContext(width, height);
  paint({ width, height, style: {}, getContext: () => context });
  return context.picture;
}
