// The served files of the pages, as bytes made once, each with an address that changes with its content so that a
// browser may keep it for good.
import { createHash } from 'node:crypto';
import { icon } from './icon.ts';
import { autoSubmitScript } from './scripts/auto-submit.ts';
import { copyScript } from './scripts/copy.ts';
import { fillInScript } from './scripts/fill-in.ts';
import { submitOnceScript } from './scripts/submit-once.ts';
import { styleSheet } from './style-sheet.ts';

export interface Asset {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** First 16 hexadecimal digits of the SHA-256 of the bytes. */
  readonly digest: string;
}

export type ScriptName = 'auto-submit.js' | 'copy.js' | 'fill-in.js' | 'submit-once.js';
export type AssetName = 'style.css' | 'icon.svg' | ScriptName;

const script = 'text/javascript; charset=utf-8';

export const assets: ReadonlyMap<AssetName, Asset> = new Map<AssetName, Asset>([
  ['style.css', asset('text/css; charset=utf-8', styleSheet)],
  ['icon.svg', asset('image/svg+xml', icon)],
  ['auto-submit.js', asset(script, autoSubmitScript)],
  ['copy.js', asset(script, copyScript)],
  ['fill-in.js', asset(script, fillInScript)],
  ['submit-once.js', asset(script, submitOnceScript)],
]);

/** The path with the content's digest: `/static/style.css?v=…`. */
export function assetAddress(name: AssetName): string {
  return `/static/${name}?v=${assets.get(name)?.digest ?? ''}`;
}

function asset(mediaType: string, text: string): Asset {
  const bytes = Buffer.from(text);
  return { mediaType, bytes, digest: createHash('sha256').update(bytes).digest('hex').slice(0, 16) };
}
