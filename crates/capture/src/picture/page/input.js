/* Pointer, wheel, keys; the cursors and the nearest packet, drawn above the chart. */
const cursors = { a: null, b: null };
let mode = 'pan', hover = null, chosen = null, chosenMark = -1, box = null;
const pointers = new Map();

const inPlot = (x) => x >= EDGE.left && x <= EDGE.left + scene.plot;
const panelAt = (y) => panels.find((panel) => y >= panel.top - 12 && y <= panel.top + panel.height + 6);

function drawOver() {
  const g = sized($('over'), scene.width, scene.height), seq = panels[0];
  g.save();
  g.beginPath();
  g.rect(EDGE.left, 0, scene.plot, scene.bottom);
  g.clip();
  const line = (t, colour, dash) => {
    g.strokeStyle = colour;
    g.lineWidth = 1;
    g.setLineDash(dash);
    g.beginPath();
    g.moveTo(X(t), EDGE.top + 12);
    g.lineTo(X(t), scene.bottom);
    g.stroke();
  };
  g.lineWidth = 1;
  if (hover && inPlot(hover.x)) line(T(hover.x), ink.soft, [1, 3]);
  for (const key of ['a', 'b']) if (cursors[key]) drawCursor(g, key, line);
  if (cursors.a && cursors.b) {
    g.setLineDash([]);
    g.strokeStyle = ink.soft;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(X(cursors.a.t), Y(seq, cursors.a.s));
    g.lineTo(X(cursors.b.t), Y(seq, cursors.b.s));
    g.stroke();
  }
  if (chosen) {
    g.setLineDash([]);
    g.strokeStyle = ink.ink;
    g.lineWidth = 1.5;
    const y0 = Y(seq, chosen.end), y1 = Y(seq, chosen.start);
    g.strokeRect(X(chosen.t0) - 4, y0 - 4, 8, Math.max(0, y1 - y0) + 8);
  }
  if (box) {
    g.setLineDash([4, 3]);
    g.strokeStyle = ink.ink;
    g.strokeRect(Math.min(box.x0, box.x1), Math.min(box.y0, box.y1), Math.abs(box.x1 - box.x0), Math.abs(box.y1 - box.y0));
  }
  g.restore();
  g.setLineDash([]);
  where();
}

function drawCursor(g, key, line) {
  const at = cursors[key], colour = ink[key], x = X(at.t), y = Y(panels[0], at.s);
  line(at.t, colour, []);
  g.fillStyle = colour;
  g.setLineDash([]);
  g.beginPath();
  g.moveTo(x - 7, y);
  g.lineTo(x + 7, y);
  g.stroke();
  g.font = `700 12px ${FONT}`;
  g.textAlign = 'left';
  g.textBaseline = 'top';
  haloed(g, key.toUpperCase(), x + 3, EDGE.top + 12);
}

/* Time and value under the pointer. */
function where() {
  if (!hover || !inPlot(hover.x)) { $('where').textContent = ''; return; }
  const panel = panelAt(hover.y), t = T(hover.x);
  const span = view.t1 - view.t0, digits = Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(span / scene.plot))));
  const time = showClock ? clock(t, digits) : `${(t / 1e9).toFixed(digits)} s`;
  const value = panel && panel.axis ? `, ${si(V(panel, hover.y) * (panel.scale || 1), panel.unit, panel.id === 'seq' ? 6 : 3)}` : '';
  $('where').textContent = time + value;
}

/* The packet, or acknowledgement, that is nearest on the screen, if any is near. */
async function nearest(x, y) {
  const seq = panels[0], t = T(x), near = [];
  for (const series of [sent, acked]) {
    const leaf = series.leafAt(t);
    for (let n = Math.max(0, leaf - 1); n <= leaf + 1 && n < series.firstRow.length - 1; n++) {
      const first = series.firstRow[n], end = Math.min(series.firstRow[n + 1], series.kept, first + 4096);
      for (let row = first; row < end; row++) {
        const tile = Math.floor(row / meta.tile_rows);
        if (!series.tiles.has(tile)) await series.fetch(tile);
        const one = series.row(row);
        if (!one) break;
        const dx = X(one.t0) - x, y0 = Y(seq, one.end), y1 = Y(seq, one.start), dy = y < y0 ? y0 - y : y > y1 ? y - y1 : 0;
        near.push([Math.hypot(dx, dy), one, series]);
      }
    }
  }
  near.sort((one, other) => one[0] - other[0]);
  return near.length && near[0][0] < 40 ? near[0] : null;
}

function describe(one, series) {
  const rows = [];
  const kind = one.code % 128, name = kind > 0 && meta.kinds[kind - 1] ? meta.kinds[kind - 1].words : 'new data';
  rows.push(['', series === sent ? `${name}${one.code >= 128 ? ', PSH' : ''}` : one.dup ? 'duplicate acknowledgement' : 'acknowledgement']);
  rows.push(['time', `${(one.t0 / 1e9).toFixed(9)} s`], ['UTC', clock(one.t0, 9)]);
  if (series === sent) {
    rows.push(['first byte', grouped(one.start)], ['length', `${grouped(one.end - one.start)} B`], ['in flight', `${grouped(one.f0)} B`]);
  } else {
    rows.push(['ack', grouped(one.hi)], ['newly', `${grouped(one.bytes)} B`], ['window', Number.isNaN(one.w0) ? 'not known' : `${grouped(one.w0)} B`]);
    if (!Number.isNaN(one.r0)) rows.push(['round trip', si(one.r0 / 1e9, 's', 4)]);
  }
  return rows;
}

function showTip(one, series, x, y) {
  const tip = $('tip');
  tip.replaceChildren(...describe(one, series).flatMap(([name, value]) => {
    const line = document.createElement('div'), b = document.createElement('span');
    b.textContent = name;
    line.append(b, value);
    if (!name) line.className = 'head';
    return [line];
  }));
  tip.hidden = false;
  const left = x + 16 + tip.offsetWidth > scene.width ? Math.max(0, x - 16 - tip.offsetWidth) : x + 16;
  tip.style.left = `${left}px`;
  tip.style.top = `${Math.max(0, Math.min(y + 14, scene.height - tip.offsetHeight))}px`;
}

function hideTip() {
  $('tip').hidden = true;
  chosen = null;
}

let asked = 0;
async function look(x, y) {
  const mine = ++asked;
  const panel = panelAt(y);
  const found = panel && panel.id === 'seq' && inPlot(x) ? await nearest(x, y) : null;
  if (mine !== asked) return;
  if (!found) { hideTip(); drawOver(); return; }
  chosen = Object.assign(found[1], { series: found[2] });
  showTip(found[1], found[2], x, y);
  drawOver();
}

function setCursor(key, x, y) {
  const seq = panels[0];
  // A cursor holds to the packet that is shown: then it measures what was captured, not what was pointed at.
  cursors[key] = chosen ? { t: chosen.t0, s: chosen.end } : { t: T(x), s: V(seq, Math.max(seq.top, Math.min(seq.top + seq.height, y))) };
  measured();
  drawOver();
  saveView();
}

/* Between A and B: time, bytes, slope. */
function measured() {
  const list = $('measured'), { a, b } = cursors, rows = [];
  const at = (one) => `${sinceOrigin(Math.round(one.t))}, ${grouped(one.s)} B`;
  if (a) rows.push(['A', at(a)]);
  if (b) rows.push(['B', at(b)]);
  if (a && b) {
    const time = b.t - a.t, bytes = Math.round(b.s) - Math.round(a.s);
    rows.push(['Δt', si(time / 1e9, 's', 5)], ['Δbytes', `${grouped(bytes)} B`]);
    rows.push(['slope', time === 0 ? 'no time between them' : si((bytes * 8e9) / time, 'bit/s', 4)]);
  }
  list.hidden = rows.length === 0;
  list.replaceChildren(...rows.map(([name, value]) => {
    const div = document.createElement('div'), dt = document.createElement('dt'), dd = document.createElement('dd');
    dt.textContent = name;
    dd.textContent = value;
    div.append(dt, dd);
    return div;
  }));
}

function place(event) {
  const frame = $('over').getBoundingClientRect();
  return [event.clientX - frame.left, event.clientY - frame.top];
}

function down(event) {
  if (event.button > 0) return;
  const [x, y] = place(event);
  $('over').setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, { x, y });
  const shape = event.shiftKey ? 'box' : mode;
  drag = { shape, x, y, moved: false, view: { ...view }, low: panels[0].low, high: panels[0].high, inSequence: panelAt(y)?.id === 'seq' };
  if (pointers.size === 2) { box = null; drag.shape = 'pinch'; startPinch(); } else remember();
}

let drag = null, pinch = null;
function startPinch() {
  const [one, other] = [...pointers.values()];
  pinch = { t: [T(one.x), T(other.x)], x: [one.x, other.x] };
}

function move(event) {
  const [x, y] = place(event);
  hover = { x, y };
  if (!pointers.has(event.pointerId)) { look(x, y); drawOver(); return; }
  pointers.set(event.pointerId, { x, y });
  if (!drag) return;
  if (Math.hypot(x - drag.x, y - drag.y) > 3) drag.moved = true;
  if (!drag.moved) return;
  hideTip();
  if (drag.shape === 'pinch' && pointers.size === 2) {
    const [one, other] = [...pointers.values()];
    if (Math.abs(one.x - other.x) < 8) return;
    const scale = (pinch.t[1] - pinch.t[0]) / (other.x - one.x);
    if (scale > 0) setTime(pinch.t[0] - (one.x - EDGE.left) * scale, pinch.t[0] + (EDGE.left + scene.plot - one.x) * scale);
  } else if (drag.shape === 'pan') {
    const by = ((drag.x - x) / scene.plot) * (drag.view.t1 - drag.view.t0);
    setTime(drag.view.t0 + by, drag.view.t1 + by);
    // A free sequence axis follows what is in view; a chosen one moves with the hand.
    if (drag.view.s0 !== null && drag.inSequence) {
      const up = ((y - drag.y) / panels[0].height) * (drag.high - drag.low);
      setSequence(drag.low + up, drag.high + up);
    }
  } else if (drag.shape === 'box') {
    box = { x0: drag.x, y0: drag.y, x1: x, y1: y };
    drawOver();
  } else if (drag.shape === 'measure') {
    setCursor('a', drag.x, drag.y);
    setCursor('b', x, y);
  }
}

function up(event) {
  pointers.delete(event.pointerId);
  if (drag && drag.shape === 'box' && box && drag.moved) zoomBox();
  else if (drag && !drag.moved && drag.shape === 'measure') setCursor(!cursors.a || cursors.b ? 'a' : 'b', drag.x, drag.y);
  else if (drag && !drag.moved && event.pointerType === 'touch') look(drag.x, drag.y);
  if (drag && drag.shape === 'measure' && !drag.moved && cursors.a && cursors.b && hover) drawOver();
  box = null;
  drag = null;
  drawOver();
}

/* A box within one of the lower panels is one of time only. */
function zoomBox() {
  const [x0, x1] = [Math.min(box.x0, box.x1), Math.max(box.x0, box.x1)], [y0, y1] = [Math.min(box.y0, box.y1), Math.max(box.y0, box.y1)];
  if (x1 - x0 < 4) return;
  const seq = panels[0], [high, low] = [V(seq, Math.max(y0, seq.top)), V(seq, Math.min(y1, seq.top + seq.height))];
  const [t0, t1] = [T(x0), T(x1)];
  if (drag.inSequence && y1 - y0 > 8 && high > low) setSequence(low, high);
  setTime(t0, t1);
}

function wheel(event) {
  event.preventDefault();
  const [x, y] = place(event), turn = (event.deltaY || event.deltaX) * (event.deltaMode === 1 ? 16 : 1), factor = Math.exp(turn * 0.0016);
  if (event.altKey || Math.abs(event.deltaX) > Math.abs(event.deltaY) && !event.shiftKey) moveTime((event.deltaX || event.deltaY) / scene.plot);
  else if (event.shiftKey) zoomSequence(factor, V(panels[0], y));
  else zoomTime(factor, T(x));
}

/* To a mark: far out, near enough to see its packets; near, by moving. */
function goToMark(step) {
  const from = chosenMark >= 0 && marks.t[chosenMark] >= view.t0 && marks.t[chosenMark] <= view.t1 ? chosenMark : -1;
  const n = markFrom(from >= 0 ? 0 : step > 0 ? view.t0 : view.t1, step, from);
  if (n < 0) { note('No more marks that way.'); return; }
  remember();
  chosenMark = n;
  const all = whole.t1 - whole.t0, span = Math.min(view.t1 - view.t0, Math.max(all / 50, 1e6)), t = marks.t[n];
  setSequence(null);
  setTime(t - span / 2, t + span / 2);
  note(`Mark ${grouped(n + 1)} of ${grouped(marks.count)}: ${meta.kinds[marks.kind[n] - 1].words} at ${sinceOrigin(t)}, bytes ${grouped(marks.lo[n])} to ${grouped(marks.hi[n])}.`);
}

async function goToPacket(step) {
  const series = chosen ? chosen.series : sent;
  let number = chosen ? chosen.number + step : series.firstRow[Math.max(0, series.leafAt((view.t0 + view.t1) / 2))];
  number = Math.max(0, Math.min(series.kept - 1, number));
  if (!(number >= 0)) return;
  await series.fetch(Math.floor(number / meta.tile_rows));
  const one = series.row(number);
  if (!one) return;
  if (one.t0 < view.t0 || one.t0 > view.t1) { const half = (view.t1 - view.t0) / 2; setTime(one.t0 - half, one.t0 + half); drawAll(); }
  chosen = Object.assign(one, { series });
  showTip(one, series, X(one.t0), Math.max(panels[0].top, Math.min(panels[0].top + panels[0].height, Y(panels[0], one.end))));
  note(describe(one, series).map((pair) => pair.join(' ')).join(', '));
  drawOver();
}

const note = (words) => { $('note').textContent = words; };

const KEYS = {
  ArrowLeft: (e) => moveTime(e.shiftKey ? -0.9 : -0.15), ArrowRight: (e) => moveTime(e.shiftKey ? 0.9 : 0.15),
  ArrowUp: () => moveSequence(0.15), ArrowDown: () => moveSequence(-0.15),
  '+': () => zoomTime(1 / 1.5), '=': () => zoomTime(1 / 1.5), '-': () => zoomTime(1.5),
  PageUp: () => zoomSequence(1 / 1.5), PageDown: () => zoomSequence(1.5),
  y: () => fitNext(), n: () => goToMark(1), p: () => goToMark(-1), ',': () => goToPacket(-1), '.': () => goToPacket(1),
  a: () => cursorKey('a'), b: () => cursorKey('b'), t: () => act('clock'), '?': () => act('help'), 0: () => reset(), Home: () => reset(),
  Backspace: () => goBack(), Escape: () => { cursors.a = cursors.b = null; measured(); hideTip(); drawOver(); saveView(); },
};
const REMEMBERED = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', '+', '=', '-', 'PageUp', 'PageDown', 'y']);

function cursorKey(key) {
  const seq = panels[0], at = hover && inPlot(hover.x) ? hover : { x: EDGE.left + scene.plot / 2, y: seq.top + seq.height / 2 };
  setCursor(key, at.x, at.y);
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const does = KEYS[event.key];
  if (!does) return;
  event.preventDefault();
  if (REMEMBERED.has(event.key) && !event.repeat) remember();
  does(event);
}

function act(what) {
  const button = document.querySelector(`[data-do="${what}"]`);
  const does = {
    in: () => { remember(); zoomTime(1 / 2); }, out: () => { remember(); zoomTime(2); }, back: goBack, reset, fit: fitNext,
    next: () => goToMark(1), previous: () => goToMark(-1),
    clock: () => { showClock = !showClock; button.setAttribute('aria-pressed', String(showClock)); redraw(); },
    help: () => { $('keys').hidden = !$('keys').hidden; button.setAttribute('aria-expanded', String(!$('keys').hidden)); },
  }[what];
  if (does) does(); else setMode(what);
}

function setMode(next) {
  mode = next;
  for (const name of ['pan', 'box', 'measure']) document.querySelector(`[data-do="${name}"]`).setAttribute('aria-pressed', String(name === mode));
  $('over').dataset.mode = mode;
}

function listen() {
  const over = $('over');
  over.addEventListener('pointerdown', down);
  over.addEventListener('pointermove', move);
  over.addEventListener('pointerup', up);
  over.addEventListener('pointercancel', up);
  over.addEventListener('pointerleave', () => { hover = null; if (!drag) { asked++; hideTip(); drawOver(); } });
  over.addEventListener('wheel', wheel, { passive: false });
  over.addEventListener('dblclick', () => { remember(); zoomTime(1 / 3, hover ? T(hover.x) : undefined); });
  over.addEventListener('keydown', key);
  $('tools').addEventListener('click', (event) => { const button = event.target.closest('[data-do]'); if (button) act(button.dataset.do); });
}
