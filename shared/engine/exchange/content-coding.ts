// A body in a content coding (`Content-Encoding: gzip`) is rejected because this server never decodes one. Otherwise
// the rejection would name the first parameter that seems to be missing (RFC 9110 §8.4, §15.5.16).
import type { IncomingHttpHeaders } from 'node:http';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { refusalReply } from './refusal-reply.ts';
import { type Reply, withHeaders } from './reply.ts';

export function refuseCoded(headers: IncomingHttpHeaders, bodyLength: number): Reply | undefined {
  if (!isCoded(headers, bodyLength)) return undefined;
  // The codings that the server accepts (RFC 9110 §12.5.3).
  return withHeaders(refusalReply(httpRefusals.body_coded), { 'Accept-Encoding': 'identity' });
}

export function isCoded({ 'content-encoding': codings = '' }: IncomingHttpHeaders, bodyLength: number): boolean {
  return bodyLength > 0 && !/^\s*(identity)?\s*$/i.test(codings);
}
