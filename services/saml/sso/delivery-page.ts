// The page that makes the browser post fields: a Response to its ACS (SAM-54), or an AuthnRequest back to this server
// (SAM-32). Fields must arrive byte for byte, so line ends are written as character references, which the HTML parser
// keeps. The frame around them is rendered once, since only one of a few fixed reasons in it depends on the request.
import { notStored, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { renderDeliveryPage } from '#shared/web/pages/delivery-page.tsx';
import { page } from '#shared/web/pages/page-reply.ts';

export type Delivery = 'login' | 'refusal' | 'repeat' | 'logout';

const words: Readonly<Record<Delivery, { heading: string; lead: string }>> = {
  login: { heading: 'You are logged in', lead: 'One more step sends you back to the application.' },
  refusal: { heading: 'No login', lead: 'One more step takes you back to the application.' },
  logout: { heading: 'Logging out', lead: 'One more step continues the logout.' },
  repeat: { heading: 'One moment', lead: 'The application sent you here to log in. One more step takes you there.' },
};

export interface DeliveryFields {
  /** The reason of a refusal: one of a few fixed sentences. */
  readonly reason?: string | undefined;
  /** How the page writes addresses of its static files. */
  readonly path: ProtocolContext['path'];
  readonly action: string;
  readonly recipient: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

export function deliveryReply(
  kind: Delivery,
  delivery: DeliveryFields,
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): Reply {
  // The receiver may check the Origin of the post, which a no-referrer policy would turn into `null`.
  return notStored(page(200, deliveryPage(kind, delivery), { 'Referrer-Policy': 'origin', ...headers }));
}

const slots = { action: 'slot-of-action', recipient: 'slot-of-recipient', fields: 'slot-of-fields' } as const;
const slotPattern = /slot-of-(?:action|recipient)|<input type="hidden" name="slot-of-fields" value="-"\/?>/;
const frames = new Map<string, readonly string[]>();

function deliveryPage(kind: Delivery, { action, recipient, fields, reason, path }: DeliveryFields): string {
  const [head = '', beforeAction = '', beforeFields = '', tail = ''] = frameOf(kind, reason, path);
  return `${head}${escapeHtml(recipient)}${beforeAction}${escapeHtml(action)}${beforeFields}${fields.map(hidden).join('')}${tail}`;
}

function frameOf(kind: Delivery, reason: string | undefined, path: ProtocolContext['path']): readonly string[] {
  const key = `${path('/static/')} ${kind} ${reason ?? ''}`;
  const known = frames.get(key);
  if (known !== undefined) return known;
  const { heading, lead } = words[kind];
  const frame = renderDeliveryPage({
    title: heading,
    path,
    heading,
    lead,
    reason,
    action: slots.action,
    recipient: slots.recipient,
    fields: [[slots.fields, '-']],
  }).split(slotPattern);
  if (frame.length !== 4) throw new Error('the delivery page has not the three places for its values');
  frames.set(key, frame);
  return frame;
}

function hidden([name, value]: readonly [string, string]): string {
  return `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`;
}

const references = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
  ['\t', '&#9;'],
  ['\n', '&#10;'],
  ['\r', '&#13;'],
]);

function escapeHtml(text: string): string {
  return /[&<>"'\t\n\r]/.test(text)
    ? text.replace(/[&<>"'\t\n\r]/g, (character) => references.get(character) ?? character)
    : text;
}
