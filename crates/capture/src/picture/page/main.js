/* The beginning. */
const sent = new Series(SENT), acked = new Series(ACKED);
let marks, sacks;

function restyle() {
  readColours();
  drawLegend();
  drawShares();
  redraw();
}

async function begin() {
  if (!('DecompressionStream' in window)) {
    note('The charts need a browser of 2023 or later (it lacks DecompressionStream). The tables below stand without it.');
    return;
  }
  [marks, sacks] = await Promise.all([loadMarks('marks'), loadMarks('sacks'), sent.load(), acked.load()]);
  fitWhole();
  $('tools').hidden = false;
  listen();
  setMode('pan');
  layout();
  loadView();
  restyle();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', restyle);
  new ResizeObserver(() => { drawShares(); redraw(); }).observe($('plot'));
  addEventListener('hashchange', loadView);
  // Paper is white: light colours for the print, those of the screen again behind it.
  addEventListener('beforeprint', () => { document.documentElement.classList.add('paper'); restyle(); drawAll(); });
  addEventListener('afterprint', () => { document.documentElement.classList.remove('paper'); restyle(); });
}

begin().catch((error) => note(`The data of this page could not be read: ${error.message}`));
