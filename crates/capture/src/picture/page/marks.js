/* Marks: drawn one by one, never thinned. Where several would paint the same pixels, one does. */
let off = new Set();

/* The marks of a view, and those about bytes in it. */
function drawSacks(g, panel) {
  const painted = new Painted(panel);
  g.fillStyle = ink.sack;
  each(sacks, (n) => {
    const x = X(sacks.t[n]), y0 = Y(panel, sacks.hi[n]), y1 = Y(panel, sacks.lo[n]);
    if (painted.isNew(x, y0, y1, 0)) g.fillRect(x - 0.6, y0, 1.2, Math.max(1, y1 - y0));
  });
}

function drawMarks(g, panel) {
  const painted = new Painted(panel);
  let count = 0;
  each(marks, () => count++);
  const r = count < 60 ? 4.5 : count < 500 ? 3.2 : count < 3000 ? 2.2 : 1.4;
  each(marks, (n) => {
    const kind = meta.kinds[marks.kind[n] - 1];
    if (!kind || off.has(kind.key)) return;
    const [colour, shape] = GLYPHS[kind.key] || ['odd', 'dot'];
    if (shape === 'none') return;
    const x = X(marks.t[n]), y0 = Y(panel, marks.hi[n]), y1 = Y(panel, marks.lo[n]);
    if (!painted.isNew(x, y0, y1, marks.kind[n])) return;
    g.fillStyle = g.strokeStyle = ink[colour];
    g.lineWidth = r > 3 ? 1.4 : 1;
    if (y1 - y0 > 1 && kind.key !== 'lost' && kind.key !== 'needless') g.fillRect(x - 0.8, y0, 1.6, y1 - y0);
    glyph(g, shape, x, kind.key === 'lost' || kind.key === 'needless' ? (y0 + y1) / 2 : y0 - r, r);
  });
}

function each(list, does) {
  for (let n = placeOf(list.t, view.t0); n < list.count && list.t[n] <= view.t1; n++) does(n);
}

/* Which places of a panel a kind has painted: half pixels, as no eye tells more. */
const pool = new Map();
class Painted {
  constructor(panel) {
    this.panel = panel;
    this.width = Math.ceil(scene.plot * 2) + 2;
    this.size = this.width * (Math.ceil(panel.height) + 18);
    this.seen = new Map();
  }

  /* Millions of cells: they are used again. */
  cells(kind) {
    let cells = pool.get(kind);
    if (cells && cells.length === this.size) cells.fill(0);
    else pool.set(kind, cells = new Uint16Array(this.size));
    this.seen.set(kind, cells);
    return cells;
  }

  isNew(x, y0, y1, kind) {
    const { top, height } = this.panel;
    if (y1 < top - 8 || y0 > top + height + 8) return false;
    const cells = this.seen.get(kind) || this.cells(kind), place = Math.round((x - EDGE.left) * 2) + this.width * Math.max(0, Math.round(Math.max(y0, top - 8) - top + 8));
    const tall = Math.min(65535, Math.ceil(Math.min(y1, top + height + 8) - y0) + 1);
    if (cells[place] >= tall) return false;
    cells[place] = tall;
    return true;
  }
}

/* The next mark that is shown, from a time on, forwards or backwards. */
function markFrom(time, step, after) {
  const at = placeOf(marks.t, time);
  let n = after >= 0 ? after + step : step > 0 ? at : at - 1;
  for (; n >= 0 && n < marks.count; n += step) {
    const kind = meta.kinds[marks.kind[n] - 1];
    if (kind && !off.has(kind.key)) return n;
  }
  return -1;
}

/* Lines and marks with what shows them; pressed, they go and come. */
function drawLegend() {
  const lines = [['data', 'data'], ['ack', 'acknowledged'], ['window', "receiver's window"]];
  const items = lines.map(([key, words]) => ({ key, words, count: 0 }));
  for (const kind of meta.kinds) if (kind.count > 0 && (GLYPHS[kind.key] || [])[1] !== 'none') items.push(kind);
  const sack = meta.kinds.find((kind) => kind.key === 'sack');
  if (sack && sack.count > 0) items.splice(3, 0, sack);
  $('legend').replaceChildren(...items.map(legendItem));
}

function legendItem(item) {
  const button = document.createElement('button'), sample = document.createElement('canvas'), li = document.createElement('li');
  button.type = 'button';
  button.setAttribute('aria-pressed', String(!off.has(item.key)));
  const g = sized(sample, 20, 14), [colour, shape] = GLYPHS[item.key] || [item.key, 'line'];
  g.fillStyle = g.strokeStyle = ink[colour];
  g.lineWidth = 1.5;
  if (item.key === 'data' || item.key === 'sack') for (const x of [5, 9, 13]) g.fillRect(x, 12 - x * 0.75 - 1, 1.6, 6);
  else if (shape === 'line') { g.beginPath(); g.moveTo(2, 11); g.lineTo(10, 11); g.lineTo(10, 4); g.lineTo(18, 4); g.stroke(); }
  else glyph(g, shape, 10, 7, 4.2);
  sample.setAttribute('aria-hidden', 'true');
  button.append(sample, item.count ? `${item.words} ${grouped(item.count)}` : item.words);
  button.onclick = () => {
    if (!off.delete(item.key)) off.add(item.key);
    button.setAttribute('aria-pressed', String(!off.has(item.key)));
    redraw();
  };
  li.append(button);
  return li;
}

/* One bar of all shares, and each in words. */
function drawShares() {
  const whole = meta.shares.reduce((sum, one) => sum + one.ns, 0);
  if (!(whole > 0)) return;
  const width = $('plot').clientWidth, bar = document.createElement('canvas'), list = document.createElement('ul');
  const title = document.createElement('h2');
  title.textContent = 'Why no faster: shares of the time';
  const g = sized(bar, width, 18);
  let x = 0;
  for (const one of meta.shares) {
    const wide = (one.ns / whole) * width;
    g.fillStyle = causeFill(g, one.label);
    g.fillRect(x, 0, Math.max(0, wide - 1), 18);
    x += wide;
    const li = document.createElement('li'), sample = document.createElement('canvas'), s = sized(sample, 22, 14);
    s.fillStyle = causeFill(s, one.label);
    s.fillRect(0, 0, 22, 14);
    s.strokeStyle = ink[`c-${one.label}`] || ink.soft;
    s.strokeRect(0.5, 0.5, 21, 13);
    li.append(sample, `${one.words} ${percent(one.ns / whole)}`);
    const soft = document.createElement('span');
    soft.className = 'soft';
    soft.textContent = ` ${si(one.ns / 1e9, 's')}, ${si(one.bytes, 'B')}`;
    li.append(soft);
    list.append(li);
  }
  bar.setAttribute('aria-hidden', 'true');
  $('causes').replaceChildren(title, bar, list);
}
