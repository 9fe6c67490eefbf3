/* Numbers for people: SI prefixes, three digits; ticks at round places. */
const PREFIXES = [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];

function prefixOf(size, unit) {
  const least = unit === 's' ? 1e-9 : 1, most = unit === 's' ? 1 : 1e15;
  return PREFIXES.find(([factor]) => factor <= most && (size >= factor * 0.9995 || factor <= least)) || PREFIXES[5];
}

function si(value, unit, digits = 3) {
  if (!Number.isFinite(value)) return 'not known';
  const [factor, prefix] = prefixOf(Math.abs(value), unit), scaled = value / factor;
  if (value === 0) return `0 ${unit}`;
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(scaled)) + 1e-9));
  return `${trimmed(scaled.toFixed(Math.min(decimals, 9)))} ${prefix}${unit}`;
}

const trimmed = (text) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text).replace(/^-/, '−');
const grouped = (n) => Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, ',').replace(/^-/, '−');
const percent = (ratio) => (ratio === 0 ? '0 %' : ratio < 0.001 ? '< 0.1 %' : `${trimmed((ratio * 100).toFixed(ratio < 0.1 ? 1 : 0))} %`);

/* A time since the origin, to the nanosecond where it has them. */
const sinceOrigin = (ns) => `${trimmed((ns / 1e9).toFixed(9))} s`;

function clock(ns, decimals) {
  const all = meta.origin_ns + ns, micros = Math.floor(all / 1000), rest = Math.round(all - micros * 1000);
  const total = meta.origin_us + micros, seconds = Math.floor(total / 1e6);
  const day = new Date(seconds * 1000);
  if (Number.isNaN(day.getTime())) return 'an impossible time';
  const fraction = String(total - seconds * 1e6).padStart(6, '0') + String(Math.min(rest, 999)).padStart(3, '0');
  const text = day.toISOString().slice(11, 19);
  return decimals > 0 ? `${text}.${fraction.slice(0, decimals)}` : text;
}

const day = () => {
  const date = new Date(meta.origin_us / 1000);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
};

/* A round step (1, 2, 5 times a power of ten) that gives at most so many. */
function roundStep(span, most) {
  const rough = span / Math.max(1, most), power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= rough * 0.9999) || 10 * power;
}

/* Places and labels of an axis. Where labels would need more than six digits, they count from a base that is said once. */
function ticks(low, high, most, unit, scale = 1) {
  const step = Math.max(roundStep(high - low, most), unit === 'B' ? 1 : 0);
  const far = Math.max(Math.abs(low), Math.abs(high));
  let base = 0;
  if (far / step > 2e5) {
    const coarse = step * 1000;
    base = Math.floor(low / coarse) * coarse;
  }
  const size = Math.max(Math.abs(low - base), Math.abs(high - base)) * scale;
  const [factor, prefix] = prefixOf(size, unit);
  const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10((step * scale) / factor) + 1e-9)));
  const places = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9 && places.length < 50; n++) {
    const at = n * step;
    places.push({ at, text: `${base ? '+' : ''}${(((at - base) * scale) / factor).toFixed(decimals).replace(/^-/, '−')}` });
  }
  return { step, base, places, unit: prefix + unit };
}
