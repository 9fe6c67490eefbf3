/* Colours, patterns, glyphs. Nothing is told by colour alone: causes have patterns, marks have shapes. */
const COLOURS = ['paper', 'ink', 'soft', 'line', 'hair', 'data', 'ack', 'window', 'sack', 'fast', 'timeout', 'tail', 'unknown', 'lost',
  'odd', 'event', 'a', 'b', 'c-application', 'c-send-buffer', 'c-receiver-window', 'c-bottleneck', 'c-loss-recovery', 'c-slow-start',
  'c-path-mtu-stall', 'c-idle', 'c-unknown'];
let ink = {};

function readColours() {
  const style = getComputedStyle(document.documentElement);
  ink = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  patterns.clear();
}

/* Colour and shape of each kind of mark. */
const GLYPHS = {
  gap: ['odd', 'none'], fast: ['fast', 'up'], timeout: ['timeout', 'square'], 'tail-probe': ['tail', 'diamond'], unexplained: ['unknown', 'dot'],
  'fast-upstream': ['fast', 'up-open'], 'timeout-upstream': ['timeout', 'square-open'], 'tail-probe-upstream': ['tail', 'diamond-open'],
  'unexplained-upstream': ['unknown', 'dot-open'], overtaken: ['odd', 'down'], duplicated: ['odd', 'dot-open'], 'keep-alive': ['event', 'plus'],
  'window-probe': ['window', 'plus'], lost: ['lost', 'cross'], needless: ['unknown', 'cross'], 'zero-window': ['window', 'bar'],
  dsack: ['sack', 'down'], unseen: ['odd', 'square-open'], 'too-big': ['timeout', 'bar'], syn: ['event', 'S'], fin: ['event', 'F'],
  rst: ['timeout', 'R'], sack: ['sack', 'none'],
};

function glyph(g, shape, x, y, r) {
  const open = shape.endsWith('-open'), name = open ? shape.slice(0, -5) : shape;
  g.beginPath();
  if (name === 'up') { g.moveTo(x, y - r); g.lineTo(x + r, y + r); g.lineTo(x - r, y + r); g.closePath(); }
  if (name === 'down') { g.moveTo(x, y + r); g.lineTo(x + r, y - r); g.lineTo(x - r, y - r); g.closePath(); }
  if (name === 'square') g.rect(x - r * 0.85, y - r * 0.85, r * 1.7, r * 1.7);
  if (name === 'diamond') { g.moveTo(x, y - r * 1.2); g.lineTo(x + r, y); g.lineTo(x, y + r * 1.2); g.lineTo(x - r, y); g.closePath(); }
  if (name === 'dot') g.arc(x, y, r * 0.9, 0, 7);
  if (name === 'cross') { g.moveTo(x - r, y - r); g.lineTo(x + r, y + r); g.moveTo(x - r, y + r); g.lineTo(x + r, y - r); }
  if (name === 'plus') { g.moveTo(x - r, y); g.lineTo(x + r, y); g.moveTo(x, y - r); g.lineTo(x, y + r); }
  if (name === 'bar') g.rect(x - r * 1.4, y - r * 0.4, r * 2.8, r * 0.8);
  if (name.length === 1) {
    g.font = `600 ${Math.max(9, r * 3)}px ${FONT}`;
    g.textAlign = 'center';
    g.textBaseline = 'middle';
    g.fillText(name, x, y);
  } else if (open || name === 'cross' || name === 'plus') g.stroke();
  else g.fill();
}

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif';

/* Patterns of causes: each has its own, legible without colour. */
const PATTERNS = {
  application: 'dots', 'send-buffer': 'vertical', 'receiver-window': 'rising', bottleneck: 'full', 'loss-recovery': 'cross',
  'slow-start': 'falling', 'path-mtu-stall': 'grid', idle: 'empty', unknown: 'sparse',
};
const patterns = new Map();

function causeFill(g, label) {
  const ratio = devicePixelRatio || 1, key = `${label}@${ratio}`;
  if (!patterns.has(key)) {
    const size = 8, tile = document.createElement('canvas'), p = tile.getContext('2d');
    tile.width = tile.height = size * ratio;
    p.scale(ratio, ratio);
    drawPattern(p, PATTERNS[label] || 'sparse', ink[`c-${label}`] || ink.soft, size);
    const pattern = g.createPattern(tile, 'repeat');
    pattern.setTransform(new DOMMatrix().scale(1 / ratio));
    patterns.set(key, pattern);
  }
  return patterns.get(key);
}

function drawPattern(p, name, colour, size) {
  p.fillStyle = p.strokeStyle = colour;
  p.globalAlpha = name === 'full' ? 0.85 : name === 'empty' ? 0 : 0.3;
  p.fillRect(0, 0, size, size);
  p.globalAlpha = 1;
  p.lineWidth = 1.6;
  const line = (...ends) => { p.beginPath(); p.moveTo(ends[0], ends[1]); p.lineTo(ends[2], ends[3]); p.stroke(); };
  const slope = (sign) => {
    for (const shift of [-size, 0, size]) line(shift - 1, sign > 0 ? size + 1 : -1, shift + size + 1, sign > 0 ? -1 : size + 1);
  };
  if (name === 'rising' || name === 'cross') slope(1);
  if (name === 'falling' || name === 'cross') slope(-1);
  if (name === 'vertical' || name === 'grid') line(size / 2, 0, size / 2, size);
  if (name === 'grid') line(0, size / 2, size, size / 2);
  if (name === 'dots' || name === 'sparse') {
    const dots = name === 'dots' ? [[2, 2], [6, 6]] : [[4, 4]];
    for (const [x, y] of dots) { p.beginPath(); p.arc(x, y, 1.1, 0, 7); p.fill(); }
  }
}

/* A canvas in CSS pixels, sharp on every screen. */
function sized(canvas, width, height) {
  const ratio = devicePixelRatio || 1, w = Math.round(width * ratio), h = Math.round(height * ratio);
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const g = canvas.getContext('2d');
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  return g;
}

/* Text with a halo, so that no line hides it. */
function haloed(g, text, x, y) {
  g.lineWidth = 3;
  g.lineJoin = 'round';
  g.strokeStyle = ink.paper;
  g.strokeText(text, x, y);
  g.fillText(text, x, y);
}
