// The part of docs/errors.md that lists every refusal with its code, made from the tables.
import { type RefusalFamily, refusalFamilies } from './index.ts';
import type { Reference } from './references.ts';
import type { Refusal } from './refusal.ts';

const begin = '<!-- refusals: written by `npm run docs` -->';
const end = '<!-- end of refusals -->';

/** The document with its list of refusals as it has to be. @throws Error when it has no place for one. */
export function withRefusals(document: string): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/errors.md must have the lines ${begin} and ${end}`);
  const families = refusalFamilies.map(familySection).join('\n');
  return `${document.slice(0, from)}${begin}\n\n${families}\n${document.slice(to)}`;
}

function familySection({ title, refusals }: RefusalFamily): string {
  const rows = refusals.map(
    (refusal) =>
      `| \`${refusal.code}\` | ${wireOf(refusal)} | ${cell(refusal.expected)} | ${linked(refusal.standard)} |`,
  );
  return [
    `### ${title}`,
    '',
    '| `refusal` | Answered as | Expected instead | Written in |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** What programs see of it: an OAuth error, a status of the REST API, or nothing of the kind. */
function wireOf(refusal: Refusal): string {
  const status = 'status' in refusal && typeof refusal.status === 'number' ? refusal.status : undefined;
  const code = 'error' in refusal ? refusal.error : 'kind' in refusal ? refusal.kind : undefined;
  return [status, typeof code === 'string' ? `\`${code}\`` : undefined].filter((part) => part !== undefined).join(' ');
}

function linked({ reference, link }: Reference): string {
  if (link !== undefined) return `[${reference}](${link})`;
  const place = reference.replace(/^docs\//, '');
  return `[${reference.replace(/^docs\//, '')}](${place.replace(/^errors\.md/, '')})`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
