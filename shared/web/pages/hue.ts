// Splits a colour into hue, saturation and lightness (CSS Color 4, section 7), and makes lighter or darker shades of
// the same hue. Colours are six hexadecimal digits.

interface Hsl {
  readonly hue: number;
  readonly saturation: number;
  /** 0 is black, 1 white. */
  readonly lightness: number;
}

export function channelsOf(colour: string): readonly [red: number, green: number, blue: number] {
  const channel = (start: number) => Number.parseInt(colour.slice(start, start + 2), 16) / 255;
  return [channel(0), channel(2), channel(4)];
}

export function hslOf(colour: string): Hsl {
  const [red, green, blue] = channelsOf(colour);
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const chroma = most - least;
  const lightness = (most + least) / 2;
  if (chroma === 0) return { hue: 0, saturation: 0, lightness };
  const sector =
    most === red
      ? (green - blue) / chroma + 6
      : most === green
        ? (blue - red) / chroma + 2
        : (red - green) / chroma + 4;
  return { hue: sector % 6, saturation: chroma / (1 - Math.abs(2 * lightness - 1)), lightness };
}

export function fromHsl({ hue, saturation, lightness }: Hsl): string {
  const chroma = saturation * (1 - Math.abs(2 * lightness - 1));
  const channel = (offset: number) => {
    const distance = Math.abs(((hue + offset) % 6) - 3) - 1;
    const value = lightness + chroma * (Math.min(Math.max(distance, 0), 1) - 0.5);
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return channel(0) + channel(4) + channel(2);
}
