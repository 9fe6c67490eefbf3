/* Data: packed columns to typed arrays, boxes to levels, tiles of packets on demand. Times are nanoseconds since the origin,
   offsets are bytes, both in doubles: exact up to 2^53. */
const $ = (id) => document.getElementById(id);
const meta = JSON.parse($('d-meta').textContent);

async function bytesOf(id) {
  const text = $(`d-${id}`).textContent;
  const packed = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Columns of variable-length integers, the length of each before them all. */
async function columnsOf(id, count) {
  const bytes = await bytesOf(id);
  const head = new DataView(bytes.buffer);
  let at = 4 * count;
  return Array.from({ length: count }, (_, n) => {
    const length = head.getUint32(4 * n, true);
    at += length;
    return numbers(bytes.subarray(at - length, at));
  });
}

function numbers(bytes) {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) count += bytes[i] < 128 ? 1 : 0;
  const out = new Float64Array(count);
  for (let i = 0, n = 0, value = 0, factor = 1; i < bytes.length; i++) {
    value += (bytes[i] & 127) * factor;
    if (bytes[i] >= 128) { factor *= 128; continue; }
    out[n++] = value;
    value = 0;
    factor = 1;
  }
  return out;
}

const signed = (coded) => (coded % 2 ? -(coded + 1) / 2 : coded / 2);
const known = (coded) => (coded === 0 ? NaN : coded - 1);

/* How each field of a box follows from those of two boxes. What is not known is NaN. */
const JOIN = {
  min: (a, b) => (b < a || a !== a ? b : a),
  max: (a, b) => (b > a || a !== a ? b : a),
  sum: (a, b) => a + b,
  last: (a, b) => b,
};

/* lo, hi: sequence space; f: bytes in flight; w: window; e: its edge; r: round trip; wl, el: where the last left them. */
const SENT = {
  id: 's', name: 'sent', columns: 8, tileColumns: 5,
  fields: { t0: 'min', t1: 'max', rows: 'sum', lo: 'min', hi: 'max', f0: 'min', f1: 'max', bytes: 'sum' },
  leaf(c, n, before) {
    const t0 = before.t1 + signed(c[0][n]), lo = known(c[3][n]), f0 = before.f0 + signed(c[5][n]);
    return { t0, t1: t0 + c[1][n], rows: c[2][n], lo, hi: lo + c[4][n], f0, f1: f0 + c[6][n], bytes: c[7][n] };
  },
  tile(c) {
    const n = c[0].length, tile = { t: new Float64Array(n), lo: new Float64Array(n), hi: new Float64Array(n), f: new Float64Array(n), code: c[4] };
    for (let i = 0, t = 0, hi = 0, f = 0; i < n; i++) {
      tile.t[i] = t += signed(c[0][i]);
      tile.lo[i] = hi + signed(c[1][i]);
      tile.hi[i] = hi = tile.lo[i] + c[2][i];
      tile.f[i] = f += signed(c[3][i]);
    }
    return tile;
  },
  row(tile, i) {
    const isNew = tile.code[i] % 128 < 2, t = tile.t[i], f = tile.f[i];
    return { t0: t, t1: t, rows: 1, lo: isNew ? tile.lo[i] : NaN, hi: isNew ? tile.hi[i] : NaN, f0: f, f1: f, bytes: tile.hi[i] - tile.lo[i] };
  },
};
const ACKED = {
  id: 'a', name: 'acked', columns: 14, tileColumns: 5,
  fields: { t0: 'min', t1: 'max', rows: 'sum', lo: 'min', hi: 'max', bytes: 'sum', w0: 'min', w1: 'max', e0: 'min', e1: 'max', r0: 'min', r1: 'max', wl: 'last', el: 'last' },
  leaf(c, n, before) {
    const t0 = before.t1 + signed(c[0][n]), lo = before.hi + signed(c[3][n]);
    const w0 = known(c[6][n]), e0 = known(c[8][n]), r0 = known(c[10][n]);
    return { t0, t1: t0 + c[1][n], rows: c[2][n], lo, hi: lo + c[4][n], bytes: c[5][n], w0, w1: w0 + c[7][n], e0, e1: e0 + c[9][n],
      r0, r1: r0 + c[11][n], wl: known(c[12][n]), el: known(c[13][n]) };
  },
  tile(c) {
    const n = c[0].length, tile = { t: new Float64Array(n), hi: new Float64Array(n), bytes: c[2], w: new Float64Array(n), r: new Float64Array(n), dup: new Uint8Array(n) };
    for (let i = 0, t = 0, ack = 0, w = 0; i < n; i++) {
      tile.t[i] = t += signed(c[0][i]);
      tile.hi[i] = ack += signed(c[1][i]);
      tile.w[i] = known(w += signed(c[3][i]));
      tile.dup[i] = c[4][i] % 2;
      tile.r[i] = known(Math.floor(c[4][i] / 2));
    }
    return tile;
  },
  row(tile, i) {
    const t = tile.t[i], a = tile.hi[i], w = tile.w[i], r = tile.r[i];
    return { t0: t, t1: t, rows: 1, lo: a, hi: a, bytes: tile.bytes[i], w0: w, w1: w, e0: a + w, e1: a + w, r0: r, r1: r, wl: w, el: a + w };
  },
};

/* Tiles that stay inflated, each about half a megabyte. */
const MOST_TILES = 96;
/* Boxes in a view at most. */
const MOST_BOXES = 4096;

class Series {
  constructor(spec) {
    this.spec = spec;
    this.names = Object.keys(spec.fields);
    this.kept = meta[spec.name].kept;
    this.rows = meta[spec.name].rows;
    this.tiles = new Map();
    this.coming = new Set();
  }

  async load() {
    const c = await columnsOf(this.spec.name, this.spec.columns), count = c[0].length;
    const leaves = this.empty(count);
    this.firstRow = new Float64Array(count + 1);
    let before = Object.fromEntries(this.names.map((name) => [name, 0]));
    for (let n = 0; n < count; n++) {
      before = this.spec.leaf(c, n, before);
      for (const name of this.names) leaves[name][n] = before[name];
      this.firstRow[n + 1] = this.firstRow[n] + before.rows;
    }
    this.levels = [leaves];
    while (this.levels.at(-1).t0.length > 1) this.levels.push(this.above(this.levels.at(-1)));
  }

  empty(count) {
    return Object.fromEntries(this.names.map((name) => [name, new Float64Array(count)]));
  }

  above(below) {
    const count = below.t0.length, half = Math.ceil(count / 2), level = this.empty(half);
    for (const name of this.names) {
      const join = JOIN[this.spec.fields[name]], from = below[name], to = level[name];
      for (let n = 0; n < half; n++) to[n] = 2 * n + 1 < count ? join(from[2 * n], from[2 * n + 1]) : from[2 * n];
    }
    return level;
  }

  /* Boxes no wider than a column, as the crate's pyramid gives them; wide ones are of the finest level. */
  boxes(from, to, width) {
    const found = [], stack = [[this.levels.length - 1, 0]];
    while (stack.length) {
      const [level, n] = stack.pop(), { t0, t1 } = this.levels[level];
      if (!(n < t0.length) || t1[n] < from || t0[n] > to) continue;
      const isWide = t1[n] - t0[n] > width;
      if (level === 0 || !isWide) found.push([level, n, isWide]);
      else stack.push([level - 1, 2 * n + 1], [level - 1, 2 * n]);
    }
    return found;
  }

  /* What a view shows, in order: boxes, and packets where boxes are too wide. The neighbours outside are there, too, for the
     lines that come from them. `open` tells a box whose packets are not at hand. */
  spans(from, to, columns) {
    let width = (to - from) / columns, boxes = this.boxes(from, to, width);
    while (boxes.length > MOST_BOXES) boxes = this.boxes(from, to, width *= 2);
    const spans = [], wanted = new Set();
    this.used = new Set();
    const first = boxes.length ? boxes[0][1] * 2 ** boxes[0][0] : this.leafAt(from) + 1;
    const last = boxes.length ? (boxes.at(-1)[1] + 1) * 2 ** boxes.at(-1)[0] : first;
    if (first > 0) boxes.unshift([0, first - 1, true]);
    if (last < this.levels[0].t0.length) boxes.push([0, last, true]);
    for (const [level, n, isWide] of boxes) {
      const box = this.box(level, n);
      if (level > 0 || !isWide || !this.rowsOf(n, spans, wanted)) {
        box.open = isWide && box.rows > 1;
        spans.push(box);
      }
    }
    this.want(wanted);
    spans.isComplete = wanted.size === 0;
    return spans;
  }

  box(level, n) {
    const box = { code: 0, open: false };
    for (const name of this.names) box[name] = this.levels[level][name][n];
    return box;
  }

  rowsOf(leaf, spans, wanted) {
    const first = this.firstRow[leaf], end = this.firstRow[leaf + 1];
    if (end > this.kept) return false;
    let isThere = true;
    for (let tile = Math.floor(first / meta.tile_rows); tile * meta.tile_rows < end; tile++) {
      // More tiles than stay inflated would chase one another out.
      if (this.used.size >= MOST_TILES / 2 && !this.used.has(tile)) return false;
      this.used.add(tile);
      if (!this.tiles.has(tile)) { wanted.add(tile); isThere = false; }
    }
    if (!isThere) return false;
    for (let row = first; row < end; row++) spans.push(this.row(row));
    return true;
  }

  /* One packet whose tile is at hand. */
  row(number) {
    const tile = this.tiles.get(Math.floor(number / meta.tile_rows)), i = number % meta.tile_rows;
    if (!tile || !(i < tile.t.length)) return null;
    const row = this.spec.row(tile, i);
    row.number = number;
    row.code = tile.code ? tile.code[i] : 0;
    row.dup = tile.dup ? tile.dup[i] : 0;
    row.start = tile.lo ? tile.lo[i] : row.hi;
    row.end = tile.hi[i];
    return row;
  }

  /* The last box of the finest level that begins before a time, where clocks go forward. */
  leafAt(time) {
    const { t0 } = this.levels[0];
    let low = 0, high = t0.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (t0[middle] <= time) low = middle + 1; else high = middle;
    }
    return low - 1;
  }

  async want(tiles) {
    for (const tile of tiles) {
      if (this.coming.has(tile)) continue;
      this.coming.add(tile);
      this.fetch(tile).then(() => { this.coming.delete(tile); redraw(); });
    }
  }

  async fetch(tile) {
    if (!this.tiles.has(tile)) {
      const columns = await columnsOf(`${this.spec.id}${tile}`, this.spec.tileColumns);
      this.tiles.set(tile, this.spec.tile(columns));
      while (this.tiles.size > MOST_TILES) this.tiles.delete(this.tiles.keys().next().value);
    }
    return this.tiles.get(tile);
  }
}

/* Marks, in the order of time. */
async function loadMarks(id) {
  const c = await columnsOf(id, 4), count = c[0].length;
  const marks = { t: new Float64Array(count), kind: new Uint8Array(count), lo: new Float64Array(count), hi: new Float64Array(count), count };
  for (let n = 0, t = 0, hi = 0; n < count; n++) {
    marks.t[n] = t += signed(c[0][n]);
    marks.kind[n] = c[1][n];
    marks.lo[n] = hi + signed(c[2][n]);
    marks.hi[n] = hi = marks.lo[n] + c[3][n];
  }
  return marks;
}

/* The first place in sorted times that is not before one. */
function placeOf(times, time) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < time) low = middle + 1; else high = middle;
  }
  return low;
}
