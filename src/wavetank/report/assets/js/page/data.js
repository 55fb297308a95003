// What the page carries: the JSON island, and packed columns in it (see report/page/packing.py).

const NEVER = 0xffffffff;

const DATA = JSON.parse(byId("data").textContent);

async function inflate(base64) {
  const packed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpackBytes(base64) {
  return inflate(base64);
}

async function unpackTexts(base64) {
  return JSON.parse(new TextDecoder().decode(await inflate(base64)));
}

/** Columns of unsigned 32-bit numbers, of which the packer put all lowest bytes first. */
async function unpackWords(base64, count) {
  const bytes = await inflate(base64);
  const rows = bytes.length / 4 / count;
  return Array.from({ length: count }, (_, column) => {
    const words = new Uint32Array(rows);
    for (let plane = 0, at = column * 4 * rows; plane < 4; plane++) {
      for (let row = 0; row < rows; row++, at++) words[row] |= bytes[at] << (8 * plane);
    }
    return words;
  });
}

/** Columns of numbers in single precision. */
async function unpackFloats(base64, count) {
  const columns = await unpackWords(base64, count);
  return columns.map((words) => new Float32Array(words.buffer));
}

/** Remembers what an asynchronous function gave for an argument. */
function once(load) {
  const kept = new Map();
  return (key) => {
    if (!kept.has(key)) kept.set(key, load(key));
    return kept.get(key);
  };
}
