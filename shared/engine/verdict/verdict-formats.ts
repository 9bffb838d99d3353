// The output formats of a verdict: one row for each (VER-08).

import { jsonText } from '#shared/base/terminal-safe-text.ts';
import type { Verdict } from './read-verdict.ts';
import { shownVerdict } from './show-verdict.ts';
import { verdictJunit } from './verdict-junit.ts';
import { verdictSarif } from './verdict-sarif.ts';
import { verdictText } from './verdict-text.ts';

interface VerdictFormat {
  readonly mediaType: string;
  /** `isOne`: the query named one subject. */
  write(verdicts: readonly Verdict[], isOne: boolean): string;
}

export const verdictFormats = {
  json: {
    mediaType: 'application/json',
    write(verdicts, isOne) {
      const [first] = verdicts.map(shownVerdict);
      return jsonText(isOne ? first : { verdicts: verdicts.map(shownVerdict) });
    },
  },
  text: { mediaType: 'text/plain', write: verdictText },
  junit: { mediaType: 'application/xml', write: verdictJunit },
  sarif: { mediaType: 'application/sarif+json', write: (verdicts) => jsonText(verdictSarif(verdicts)) },
} as const satisfies Readonly<Record<string, VerdictFormat>>;

type VerdictFormatName = keyof typeof verdictFormats;

export const verdictFormatNames = ['json', 'text', 'junit', 'sarif'] as const satisfies readonly VerdictFormatName[];
