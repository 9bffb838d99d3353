// Texts that the URL Standard's parser accepts only after a silent repair: spaces, backslashes, broken percent signs, a
// missing host (`http:///cb` becomes `http://cb/`). Every parser repairs such a text differently, so declared URIs must
// not need a repair (RFC 3986, RFC 9110 §4.2.1). Characters beyond ASCII are no repair: the URL Standard allows them in
// valid URLs (D37).
import { isAbsoluteUri } from './absolute-uri.ts';

const beyondAscii = /[\u00a0-\u{10ffff}]/gu;

/** Whether an absolute URI without fragment matches the grammar of RFC 3986, except for characters beyond ASCII. */
export function isUnrepairedUri(uri: string): boolean {
  return isAbsoluteUri(uri.replace(beyondAscii, 'a'));
}

/** Whether an http or https URI has two slashes followed by a host, as RFC 9110 §4.2.1 requires. */
export function namesHost(uri: string): boolean {
  return /^https?:\/\/[^/?#\\]/i.test(uri);
}
