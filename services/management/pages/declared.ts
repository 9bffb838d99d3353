// The entry of a file that a page of the web UI is about, or the redirect that says why there is none to change: what was
// made at run time or came from a document of its own is read-only here (WEB-02, WEB-03, WEB-06).
import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type NoticeCode, withNotice } from './notices.ts';

export type Declared<Entry> =
  | { readonly found: Entry; readonly elsewhere: undefined }
  | { readonly found: undefined; readonly elsewhere: Reply };

/** `name`: what the request is about; `list`: the page that tells why it shows no entry of that name. */
export function declaredOr<Entry>(
  found: Entry | undefined,
  { path }: ProtocolContext,
  instead: { readonly list: string; readonly code: NoticeCode; readonly name: string },
): Declared<Entry> {
  if (found !== undefined) return { found, elsewhere: undefined };
  return { found: undefined, elsewhere: redirect(path(withNotice(instead.list, instead.code, instead.name))) };
}
