// A post from another site arrives without SameSite=Lax cookies, whether the browser has them or not. So the browser
// first repeats such a message, once, from our own origin (SAM-32, SLO-05).
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type Delivery, type DeliveryFields, deliveryReply } from './sso/delivery-page.ts';

/** Marks a message that the browser already repeated from our own origin. */
const repeatedField = 'saml_repeated';

/** Programs do not send their origin and get a response at once. */
export function isFromAnotherSite({ method, headers, form }: ParsedRequest, context: ProtocolContext): boolean {
  if (method !== 'POST' || form.has(repeatedField)) return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'cross-site';
  return headers.origin !== undefined && headers.origin.toLowerCase() !== context.requestOrigin.toLowerCase();
}

/** A page that posts the fields to the same address again, automatically. */
export function repeatFromHere(
  kind: Delivery & ('repeat' | 'logout'),
  delivery: Omit<DeliveryFields, 'reason'>,
): Reply {
  return deliveryReply(kind, { ...delivery, fields: [...delivery.fields, [repeatedField, '1']] });
}
