// The entry of a file that a page of the web UI is about, or the redirect that explains why no entry can be changed.
// Runtime objects and clients of metadata documents are read-only here (WEB-02, WEB-03, WEB-06).
import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type NoticeCode, withNotice } from './notices.ts';

export type Declared<Entry> =
  | { readonly found: Entry; readonly elsewhere: undefined }
  | { readonly found: undefined; readonly elsewhere: Reply };

/** `name`: the entry that the request names. `list`: the page that explains why it shows no entry of that name. */
export function declaredOr<Entry>(
  found: Entry | undefined,
  { path }: ProtocolContext,
  instead: { readonly list: string; readonly code: NoticeCode; readonly name: string },
): Declared<Entry> {
  if (found !== undefined) return { found, elsewhere: undefined };
  return { found: undefined, elsewhere: redirect(path(withNotice(instead.list, instead.code, instead.name))) };
}
