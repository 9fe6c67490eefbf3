/* What is looked at: a stretch of time, and of sequence (null: what fits); the way back; the address of the view. */
const view = { t0: meta.first, t1: meta.last, s0: null, s1: null };
const whole = { t0: meta.first, t1: meta.last };
const history = [];
let showClock = false;
/* What a free sequence axis fits: far in, data and acknowledgements are a window apart, and one of them is enough. */
let fit = 'all';
let pending = 0;

function fitWhole() {
  const span = Math.max(1000, meta.last - meta.first);
  whole.t0 = meta.first - span * 0.01;
  whole.t1 = meta.first + span * 1.01;
}

function redraw() {
  if (!pending) pending = requestAnimationFrame(() => { pending = 0; drawAll(); saveView(); });
}

/* No further in than ten nanoseconds, no further out than twice everything, and never away from it. */
function setTime(t0, t1) {
  const all = whole.t1 - whole.t0, span = Math.max(10, Math.min(t1 - t0, 2 * all)), middle = (t0 + t1) / 2;
  const centre = Math.max(whole.t0, Math.min(whole.t1, middle));
  [view.t0, view.t1] = [centre - span / 2, centre + span / 2];
  redraw();
}

function setSequence(s0, s1) {
  if (s0 === null) [view.s0, view.s1] = [null, null];
  else {
    const span = Math.max(10, Math.min(s1 - s0, 1e16)), middle = (s0 + s1) / 2;
    [view.s0, view.s1] = [middle - span / 2, middle + span / 2];
  }
  redraw();
}

function remember() {
  const before = history.at(-1);
  if (before && ['t0', 't1', 's0', 's1'].every((key) => before[key] === view[key])) return;
  history.push({ ...view });
  if (history.length > 100) history.shift();
}

function goBack() {
  const before = history.pop();
  if (before) Object.assign(view, before);
  redraw();
}

function reset() {
  remember();
  setSequence(null);
  setTime(whole.t0, whole.t1);
}

function zoomTime(factor, at = (view.t0 + view.t1) / 2) {
  setTime(at - (at - view.t0) * factor, at + (view.t1 - at) * factor);
}

function zoomSequence(factor, at) {
  const seq = panels[0], middle = at === undefined ? (seq.low + seq.high) / 2 : at;
  setSequence(middle - (middle - seq.low) * factor, middle + (seq.high - middle) * factor);
}

/* What fits in turn: all, the data, the acknowledgements. */
function fitNext() {
  const all = ['all', 'data', 'acknowledgements'];
  if (view.s0 === null) fit = all[(all.indexOf(fit) + 1) % all.length];
  setSequence(null);
}

function moveTime(part) {
  const by = (view.t1 - view.t0) * part;
  setTime(view.t0 + by, view.t1 + by);
}

function moveSequence(part) {
  const seq = panels[0], by = (seq.high - seq.low) * part;
  setSequence(seq.low + by, seq.high + by);
}

/* The address after '#': t0, t1 in seconds since the origin; s0, s1 in bytes; a, b cursors as time,bytes. */
function loadView() {
  const said = new URLSearchParams(location.hash.slice(1)), number = (key) => (said.has(key) ? Number(said.get(key)) : NaN);
  const [t0, t1, s0, s1] = [number('t0') * 1e9, number('t1') * 1e9, number('s0'), number('s1')];
  if (t1 > t0) setTime(t0, t1); else setTime(whole.t0, whole.t1);
  if (s1 > s0) setSequence(s0, s1);
  for (const key of ['a', 'b']) {
    const [t, s] = (said.get(key) || '').split(',').map(Number);
    if (said.has(key) && Number.isFinite(t) && Number.isFinite(s)) cursors[key] = { t: t * 1e9, s };
  }
  if (cursors.a || cursors.b) measured();
}

let saving = 0;
function saveView() {
  clearTimeout(saving);
  saving = setTimeout(() => {
    const said = new URLSearchParams(), seconds = (ns) => String(Number((ns / 1e9).toFixed(9)));
    if (view.t0 !== whole.t0 || view.t1 !== whole.t1) { said.set('t0', seconds(view.t0)); said.set('t1', seconds(view.t1)); }
    if (view.s0 !== null) { said.set('s0', view.s0.toFixed(0)); said.set('s1', view.s1.toFixed(0)); }
    for (const key of ['a', 'b']) if (cursors[key]) said.set(key, `${seconds(cursors[key].t)},${cursors[key].s.toFixed(0)}`);
    const hash = said.toString().replaceAll('%2C', ',');
    try { window.history.replaceState(null, '', hash ? `#${hash}` : location.pathname); } catch { /* some browsers forbid it on a disk */ }
  }, 300);
}
