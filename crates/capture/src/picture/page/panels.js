/* The panels: one time axis, and below each other sequence, round trip, bytes in flight, throughput, causes. */
const panels = [
  { id: 'seq', title: 'Sequence', unit: 'B', draw: drawSequence },
  { id: 'rtt', title: 'Round trip', unit: 's', scale: 1e-9, draw: drawRtt },
  { id: 'flight', title: 'In flight', unit: 'B', draw: drawFlight },
  { id: 'rate', title: 'Throughput', unit: 'bit/s', draw: drawRate },
  { id: 'cause', title: 'Why no faster', draw: drawCauses },
];
const EDGE = { left: 62, right: 14, top: 8, axis: 34 };

/* What is drawn at present: the places of the panels, and what the view holds. */
const scene = { width: 0, height: 0, sent: [], acked: [] };

function layout() {
  const width = $('plot').clientWidth, isSmall = width < 600;
  EDGE.left = isSmall ? 46 : 62;
  EDGE.right = isSmall ? 6 : 14;
  const side = isSmall ? 64 : Math.max(70, Math.min(110, innerHeight * 0.1)), gap = 22;
  const rest = 3 * (side + gap) + 24 + gap + EDGE.axis + EDGE.top;
  const tall = isSmall ? Math.max(230, width * 0.8) : Math.max(260, Math.min(innerHeight - rest - 200, width * 0.6));
  scene.width = width;
  let y = EDGE.top + 12;
  for (const panel of panels) {
    panel.top = y;
    panel.height = panel.id === 'seq' ? tall : panel.id === 'cause' ? 24 : side;
    y += panel.height + gap;
  }
  scene.bottom = y - gap;
  scene.height = scene.bottom + EDGE.axis;
  scene.plot = width - EDGE.left - EDGE.right;
}

const X = (t) => EDGE.left + ((t - view.t0) / (view.t1 - view.t0)) * scene.plot;
const T = (x) => view.t0 + ((x - EDGE.left) / scene.plot) * (view.t1 - view.t0);
const Y = (panel, value) => panel.top + panel.height - ((value - panel.low) / (panel.high - panel.low)) * panel.height;
const V = (panel, y) => panel.low + ((panel.top + panel.height - y) / panel.height) * (panel.high - panel.low);

function drawAll() {
  layout();
  const g = sized($('chart'), scene.width, scene.height);
  const columns = Math.max(100, Math.min(scene.plot, 2000));
  scene.sent = sent.spans(view.t0, view.t1, columns);
  scene.acked = acked.spans(view.t0, view.t1, columns);
  scene.bins = bins();
  fitPanels();
  timeAxis(g);
  for (const panel of panels) {
    frame(g, panel);
    g.save();
    g.beginPath();
    g.rect(EDGE.left, panel.top - 1, scene.plot, panel.height + 2);
    g.clip();
    panel.draw(g, panel);
    g.restore();
    name(g, panel);
  }
  drawOver();
}

/* Ranges of values: what is in view, and nothing that is not. */
function fitPanels() {
  const [seq, rtt, flight, rate] = panels;
  const inView = (one) => one.t1 >= view.t0 && one.t0 <= view.t1;
  const extent = (spans, low, high) => {
    let a = Infinity, b = -Infinity;
    for (const one of spans) {
      if (!inView(one)) continue;
      if (one[low] < a) a = one[low];
      if (one[high] > b) b = one[high];
    }
    return [a, b];
  };
  if (view.s0 === null) fitSequence(seq, extent);
  else [seq.low, seq.high] = [view.s0, view.s1];
  // From zero, so that heights compare; unless all lies close together far above it.
  const fromZero = (panel, low, high) => {
    if (!(high > -Infinity)) [low, high] = [0, panel.id === 'rtt' ? 1e6 : 1000];
    panel.low = low > 0.6 * high && low < high ? low - (high - low) * 0.15 : 0;
    panel.high = high > panel.low ? high + (high - panel.low) * 0.06 : panel.low + 1;
  };
  fromZero(rtt, ...extent(scene.acked, 'r0', 'r1'));
  fromZero(flight, 0, extent(scene.sent, 'f0', 'f1')[1]);
  const window = extent(scene.acked, 'w0', 'w1')[1];
  // The window belongs here where it is near; far above it would only flatten the rest, and that is said.
  const isNear = window > flight.high / 1.06 && window <= 5 * flight.high;
  if (isNear && !off.has('window')) fromZero(flight, 0, window);
  flight.windowIsAbove = window > flight.high && !off.has('window');
  fromZero(rate, 0, Math.max(...scene.bins.sent, ...scene.bins.acked, 0));
}

function fitSequence(seq, extent) {
  const nothing = [Infinity, -Infinity];
  const data = fit === 'acknowledgements' ? nothing : extent(scene.sent, 'lo', 'hi');
  const acks = fit === 'data' ? nothing : extent(scene.acked, 'lo', 'hi');
  let low = Math.min(data[0], acks[0]), high = Math.max(data[1], acks[1]);
  if (fit === 'all') for (const list of [marks, sacks]) each(list, (n) => { low = Math.min(low, list.lo[n]); high = Math.max(high, list.hi[n]); });
  seq.isEmpty = !(low <= high);
  if (seq.isEmpty) {
    // Between two packets: the level where the one before left it.
    const before = scene.acked.find((one) => one.t1 < view.t0) || scene.sent.find((one) => one.t1 < view.t0 && one.hi === one.hi);
    low = high = before ? before.hi : 0;
  }
  const edge = extent(scene.acked, 'e0', 'e1');
  if (fit === 'all' && !off.has('window') && edge[1] <= high + 1.5 * Math.max(high - low, 3000)) high = Math.max(high, edge[1]);
  const margin = Math.max((high - low) * 0.04, 750);
  [seq.low, seq.high] = [low - margin, high + margin];
}

function frame(g, panel) {
  g.font = `11px ${FONT}`;
  g.textBaseline = 'middle';
  g.textAlign = 'right';
  if (panel.id !== 'cause') {
    const axis = ticks(panel.low, panel.high, Math.max(2, panel.height / (panel.id === 'seq' ? 56 : 30)), panel.unit, panel.scale);
    panel.axis = axis;
    for (const { at, text } of axis.places) {
      const y = Math.round(Y(panel, at)) + 0.5;
      if (y < panel.top - 1 || y > panel.top + panel.height + 1) continue;
      g.fillStyle = ink.hair;
      g.fillRect(EDGE.left, y - 0.5, scene.plot, 1);
      g.fillStyle = ink.soft;
      g.fillText(text, EDGE.left - 6, y);
    }
  }
  g.fillStyle = ink.line;
  g.fillRect(EDGE.left, Math.round(panel.top + panel.height), scene.plot, 1);
}

/* Name and unit above the panel, on the left. */
function name(g, panel) {
  g.textAlign = 'left';
  g.textBaseline = 'alphabetic';
  const y = panel.top - 5;
  g.font = `600 11.5px ${FONT}`;
  g.fillStyle = ink.ink;
  g.fillText(panel.title, EDGE.left, y);
  const at = EDGE.left + g.measureText(panel.title).width + 6;
  const small = scene.width < 600;
  const words = [];
  if (panel.axis) words.push(panel.axis.unit + (panel.axis.base ? ` + ${grouped(panel.axis.base)} ${panel.scale ? 'ns' : 'B'}` : ''));
  if (panel.id === 'seq' && view.s0 === null && fit !== 'all') words.push(`fits the ${fit}`);
  if (panel.id === 'rate') words.push(`per ${si(scene.bins.width / 1e9, 's')}`);
  if (panel.id === 'flight' && panel.windowIsAbove && !small) words.push('window above');
  if (!scene.sent.isComplete || !scene.acked.isComplete) words.push('reading packets');
  g.font = `11px ${FONT}`;
  g.fillStyle = ink.soft;
  g.fillText(words.join(', '), at, y);
}

function timeAxis(g) {
  const axis = ticks(view.t0, view.t1, Math.max(3, scene.plot / (scene.width < 600 ? 80 : 110)), 's', 1e-9), y = scene.bottom;
  const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10(axis.step / 1e9) + 1e-9)));
  g.font = `11px ${FONT}`;
  g.textBaseline = 'top';
  for (const { at, text } of axis.places) {
    const x = Math.round(X(at)) + 0.5;
    g.fillStyle = ink.hair;
    g.fillRect(x - 0.5, EDGE.top + 12, 1, scene.bottom - EDGE.top - 12);
    g.fillStyle = ink.soft;
    const words = showClock ? clock(at, decimals) : text, half = g.measureText(words).width / 2;
    if (x - half < 0 || x + half > scene.width) continue;
    g.textAlign = 'center';
    g.fillText(words, x, y + 5);
  }
  g.textAlign = 'right';
  const base = axis.base ? `${sinceOrigin(axis.base)} + ` : '';
  const words = showClock ? `UTC ${day()}` : `${base}${axis.unit}, since ${day()} ${clock(0, scene.width < 600 ? 0 : 6)} UTC`;
  g.fillText(words, EDGE.left + scene.plot, y + 20);
}

function drawSequence(g, panel) {
  if (!off.has('window')) stepLine(g, panel, scene.acked, 'e0', 'e1', 'el', ink.window);
  if (!off.has('sack')) drawSacks(g, panel);
  if (!off.has('data')) drawData(g, panel);
  if (!off.has('ack')) {
    stepLine(g, panel, scene.acked, 'lo', 'hi', 'hi', ink.ack);
    drawDuplicates(g, panel);
  }
  drawMarks(g, panel);
  if (panel.isEmpty) {
    g.font = `12px ${FONT}`;
    g.fillStyle = ink.soft;
    g.textAlign = 'center';
    g.fillText('no packets in this stretch of time', EDGE.left + scene.plot / 2, panel.top + panel.height / 3);
  }
}

/* Each segment a line from its first byte to its last, with feet as soon as there is room. */
function drawData(g, panel) {
  const feet = roomForFeet(panel), least = scene.sent.length < 400 ? 2 : 1;
  for (const one of scene.sent) {
    if (one.lo !== one.lo || one.t1 < view.t0 || one.t0 > view.t1) continue;
    const x = X(one.t0), y0 = Y(panel, one.hi), y1 = Y(panel, one.lo);
    g.fillStyle = ink.data;
    if (one.open) {
      pale(g, x, y0, X(one.t1) - x, y1 - y0);
      continue;
    }
    const wide = feet && one.rows === 1 ? 1.6 : Math.max(least, X(one.t1) - x);
    g.fillRect(x - (feet ? 0.8 : 0), y0, wide, Math.max(least, y1 - y0));
    if (feet && one.rows === 1) {
      g.fillRect(x - 3, y0, 6, 1);
      g.fillRect(x - 3, y1 - 1, 6, 1);
    }
  }
}

function roomForFeet(panel) {
  const bytes = panel.high - panel.low, count = scene.sent.length;
  return count > 0 && count < scene.plot / 6 && (1400 / bytes) * panel.height > 5;
}

/* Bounds that are not resolved: something lies within, and more is not at hand. */
function pale(g, x, y, width, height) {
  g.globalAlpha = 0.14;
  g.fillRect(x, y, Math.max(1, width), Math.max(1, height));
  g.globalAlpha = 1;
}

/* A level that holds until the next acknowledgement; broken where nothing is known. */
function stepLine(g, panel, spans, low, high, last, colour) {
  g.strokeStyle = g.fillStyle = colour;
  g.lineWidth = 1.25;
  g.beginPath();
  let level = NaN;
  for (const one of spans) {
    if (one.open) {
      const x = X(one.t0), top = Y(panel, one[high]);
      pale(g, x, top, X(one.t1) - x, Y(panel, one[low]) - top);
      level = NaN;
    } else if (one[high] === one[high]) {
      const x = clamped(X(one.t0));
      if (level === level) g.lineTo(x, Y(panel, level)); else g.moveTo(x, Y(panel, one[low]));
      if (one[low] !== one[high]) { g.lineTo(x, Y(panel, one[low])); g.lineTo(x, Y(panel, one[high])); }
      g.lineTo(x, Y(panel, one[last]));
    }
    if (one.open || one[high] === one[high]) {
      const reached = one[last] === one[last] ? one[last] : one[high];
      if (one.open) g.moveTo(clamped(X(one.t1)), Y(panel, reached));
      level = reached;
    } else level = NaN;
  }
  g.stroke();
}

/* Coordinates far outside make some canvases draw nothing. */
const clamped = (x) => Math.max(-1e4, Math.min(1e5, x));

function drawDuplicates(g, panel) {
  if (scene.acked.length > scene.plot / 3) return;
  g.fillStyle = ink.ack;
  for (const one of scene.acked) if (one.dup) g.fillRect(X(one.t0) - 0.5, Y(panel, one.hi), 1, 5);
}

function drawRtt(g, panel) {
  const r = scene.acked.length < 400 ? 2 : 1;
  g.fillStyle = ink.ack;
  for (const one of scene.acked) {
    if (one.r1 !== one.r1) continue;
    const x = X(one.t0), y0 = Y(panel, one.r1), y1 = Y(panel, one.r0);
    if (one.open) pale(g, x, y0, X(one.t1) - x, y1 - y0);
    else if (one.rows === 1) g.fillRect(x - r / 2, y0 - r / 2, r, r);
    else g.fillRect(x, y0 - 0.5, Math.max(1, X(one.t1) - x), y1 - y0 + 1);
  }
}

/* Known when a segment passes: a bar from what was in flight to what is then. Between segments nothing is claimed. */
function drawFlight(g, panel) {
  if (!off.has('window')) stepLine(g, panel, scene.acked, 'w0', 'w1', 'wl', ink.window);
  g.fillStyle = ink.data;
  const wide = scene.sent.length < 300 ? 2 : 1;
  for (const one of scene.sent) {
    const x = X(one.t0), y0 = Y(panel, one.f1), y1 = Y(panel, one.f0);
    if (one.open) pale(g, x, y0, X(one.t1) - x, y1 - y0);
    else g.fillRect(x - wide / 2, y0 - 1, Math.max(wide, X(one.t1) - x), Math.max(2, y1 - y0 + 1));
  }
}

/* Bytes in equal stretches of time at round places, wide enough for some packets each. */
function bins() {
  const inView = (spans) => spans.reduce((n, one) => n + (one.t1 >= view.t0 && one.t0 <= view.t1 ? one.rows : 0), 0);
  const span = view.t1 - view.t0, packets = Math.max(1, inView(scene.sent), inView(scene.acked));
  const least = Math.max((span / scene.plot) * 3, (span / packets) * 6, 1);
  const width = roundStep(Math.min(least, span / 4), 1), first = Math.floor(view.t0 / width), count = Math.min(4000, Math.ceil(view.t1 / width) - first);
  const fill = (spans) => {
    const rates = new Float64Array(count);
    for (const one of spans) {
      const a = one.t0 / width - first, b = one.t1 / width - first;
      for (let n = Math.max(0, Math.floor(a)); n < count && n <= b; n++) {
        const share = b > a ? (Math.min(b, n + 1) - Math.max(a, n)) / (b - a) : 1;
        rates[n] += (one.bytes * share * 8e9) / width;
      }
    }
    return rates;
  };
  return { width, first, sent: fill(scene.sent), acked: fill(scene.acked) };
}

function drawRate(g, panel) {
  const { width, first, sent: up, acked: down } = scene.bins;
  const from = Math.max(meta.first, view.t0 - width), to = Math.min(meta.last, view.t1 + width);
  const line = (rates, colour, wide) => {
    g.strokeStyle = colour;
    g.lineWidth = wide;
    g.beginPath();
    let isFirst = true;
    rates.forEach((rate, n) => {
      const a = (first + n) * width, b = a + width;
      // A stretch that the capture or the view covers in part has no rate.
      if (a < from - width * 0.5 || b > to + width * 0.5) return;
      const y = Y(panel, rate);
      if (isFirst) g.moveTo(X(a), y); else g.lineTo(X(a), y);
      g.lineTo(X(b), y);
      isFirst = false;
    });
    g.stroke();
  };
  if (!off.has('data')) line(up, ink.data, 1);
  if (!off.has('ack')) line(down, ink.ack, 1.5);
}

function drawCauses(g, panel) {
  for (const [from, to, label] of meta.intervals) {
    if (to < view.t0 || from > view.t1) continue;
    const x0 = Math.max(EDGE.left, X(from)), x1 = Math.min(EDGE.left + scene.plot, X(to)), width = Math.max(0.5, x1 - x0);
    g.save();
    g.translate(0, panel.top);
    g.fillStyle = causeFill(g, label);
    g.fillRect(x0, 0, width, panel.height);
    g.restore();
    g.fillStyle = ink.paper;
    if (width > 3) g.fillRect(x1 - 0.5, panel.top, 0.5, panel.height);
    const share = meta.shares.find((one) => one.label === label), words = share ? share.words : label;
    g.font = `11px ${FONT}`;
    g.textAlign = 'center';
    g.textBaseline = 'middle';
    if (g.measureText(words).width + 12 < width) {
      g.fillStyle = ink.ink;
      haloed(g, words, (x0 + x1) / 2, panel.top + panel.height / 2);
    }
  }
}
