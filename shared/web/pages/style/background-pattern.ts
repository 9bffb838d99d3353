// The interlaced waves of a security print, as a tile that repeats sideways. Computed once, and faint enough for both
// colour schemes.
const width = 480;
const height = 260;
const strands = 14;

/** One strand: a wave whose amplitude is itself a wave, with enough samples to look smooth. */
function strand(number: number): string {
  const phase = (number / strands) * 2 * Math.PI;
  const points = Array.from({ length: 61 }, (_, index) => {
    const x = (index / 60) * width;
    const turn = (x / width) * 2 * Math.PI;
    const swing = 62 + 34 * Math.sin(turn * 2 + phase);
    const y = height / 2 - 14 + swing * Math.sin(turn * 3 + phase);
    return `${x.toFixed(0)} ${y.toFixed(1)}`;
  });
  return `M${points.join('L')}`;
}

const paths = Array.from({ length: strands }, (_, number) => strand(number)).join('');

const drawing = `<svg xmlns='http://www.w3.org/2000/svg' width='${width}' height='${height}'><path d='${paths}' fill='none' stroke='#5f9d8f' stroke-opacity='.17' stroke-linejoin='round'/></svg>`;

/** As a data URL for style sheets. Pages may load images from `data:`. */
export const backgroundPattern = `data:image/svg+xml,${drawing.replaceAll('<', '%3C').replaceAll('>', '%3E').replaceAll('#', '%23')}`;
