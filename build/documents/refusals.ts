// The tables of docs/errors.md. Each section lists the families of rejections that belong there.
import { type RefusalFamily, type RefusalSection, refusalFamilies } from '#shared/model/refusals/index.ts';
import type { Reference } from '#shared/model/refusals/references.ts';
import type { Refusal } from '#shared/model/refusals/refusal.ts';
import { withWrittenPart } from './written-part.ts';

const partOf = (section: RefusalSection) => ({
  path: 'docs/errors.md',
  begin: `<!-- refusals of ${section}: written by \`npm run docs\` -->`,
  end: '<!-- end of refusals -->',
});

/** The document with its current tables. @throws Error when a section has no place for them. */
export function withRefusals(document: string): string {
  const sections = new Set(refusalFamilies.map(({ section }) => section));
  return [...sections].reduce(withSection, document);
}

function withSection(document: string, section: RefusalSection): string {
  const families = refusalFamilies.filter((family) => family.section === section);
  const tables = [...errorTable(families), ...families.map(familyTable)].join('\n');
  return withWrittenPart(document, partOf(section), tables);
}

/** The rejections behind an OAuth error. Empty for families with other formats. */
function errorTable(families: readonly RefusalFamily[]): readonly string[] {
  if (families[0]?.section !== 'OAuth 2.0 and OpenID Connect') return [];
  const codes = new Map<string, string[]>();
  for (const refusal of families.flatMap(({ refusals }) => refusals)) {
    const error = 'error' in refusal && typeof refusal.error === 'string' ? refusal.error : undefined;
    if (error !== undefined) codes.set(error, [...(codes.get(error) ?? []), `\`${refusal.code}\``]);
  }
  const rows = [...codes].sort(([one], [other]) => (one < other ? -1 : 1));
  return [
    [
      '| `error` | Refusals |',
      '| --- | --- |',
      ...rows.map(([error, all]) => `| \`${error}\` | ${all.join(', ')} |`),
      '',
    ].join('\n'),
  ];
}

function familyTable({ title, refusals }: RefusalFamily): string {
  const rows = refusals.map(
    (refusal) =>
      `| \`${refusal.code}\` | ${wireOf(refusal)} | ${cell(expectedOf(refusal))} | ${linked(refusal.standard)} |`,
  );
  return [
    `### ${title}`,
    '',
    '| `refusal` | Response | Expected | Standard |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function expectedOf({ expected, unrecorded }: Refusal): string {
  return unrecorded === true ? `${expected} (**no audit entry**)` : expected;
}

/** What programs get: an OAuth error, an HTTP status with its kind, a SAML status, or none of these. */
function wireOf(refusal: Refusal): string {
  const status = 'status' in refusal && typeof refusal.status === 'number' ? refusal.status : undefined;
  const code = 'error' in refusal ? refusal.error : 'kind' in refusal ? refusal.kind : samlStatusOf(refusal);
  return [status, typeof code === 'string' ? `\`${code}\`` : undefined].filter((part) => part !== undefined).join(' ');
}

/** The reason of a rejection by a status begins with that status. */
function samlStatusOf({ answer, reason = answer }: Refusal): string | undefined {
  return typeof reason === 'string' ? /^(?:Requester|Responder)\/\w+/.exec(reason)?.[0] : undefined;
}

function linked({ reference, link }: Reference): string {
  if (link !== undefined) return `[${reference}](${link})`;
  const place = reference.replace(/^docs\//, '');
  return `[${reference.replace(/^docs\//, '')}](${place.replace(/^errors\.md/, '')})`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
