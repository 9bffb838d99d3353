// The static files of the pages, as bytes that are built once. Each address changes with its content, so that a browser
// may cache it permanently.
import { createHash } from 'node:crypto';
import { icon } from './icon.ts';
import { pageFile } from './page-files.ts';
import { styleSheet } from './style-sheet.ts';

export interface Asset {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** First 16 hexadecimal digits of the SHA-256 of the bytes. */
  readonly digest: string;
}

const scriptNames = ['auto-submit.js', 'copy.js', 'fill-in.js', 'go-on.js', 'live.js', 'submit-once.js'] as const;

export type ScriptName = (typeof scriptNames)[number];
export type AssetName = 'style.css' | 'icon.svg' | ScriptName;

export const assets: ReadonlyMap<AssetName, Asset> = new Map<AssetName, Asset>([
  ['style.css', asset('text/css; charset=utf-8', styleSheet)],
  ['icon.svg', asset('image/svg+xml', icon)],
  ...scriptNames.map((name) => [name, asset('text/javascript; charset=utf-8', pageFile(`scripts/${name}`))] as const),
]);

/** The path with the content's digest: `/static/style.css?v=…`. */
export function assetAddress(name: AssetName): string {
  return `/static/${name}?v=${assets.get(name)?.digest ?? ''}`;
}

function asset(mediaType: string, text: string): Asset {
  const bytes = Buffer.from(text);
  return { mediaType, bytes, digest: createHash('sha256').update(bytes).digest('hex').slice(0, 16) };
}
