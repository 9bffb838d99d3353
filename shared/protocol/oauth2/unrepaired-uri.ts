// Texts that the URL Standard's parser takes only after repairing them in silence: blanks, backslashes, broken percent
// signs, a host that is not there (`http:///cb` becomes `http://cb/`). Everybody who reads such a text repairs it in his
// own way, so what is declared here must not need it (RFC 3986, RFC 9110 §4.2.1). Characters beyond ASCII are no repair:
// the URL Standard has them in valid URLs (D37).
import { isAbsoluteUri } from './absolute-uri.ts';

const beyondAscii = /[\u00a0-\u{10ffff}]/gu;

/** Whether an absolute URI without fragment keeps to the grammar of RFC 3986, characters beyond ASCII aside. */
export function isUnrepairedUri(uri: string): boolean {
  return isAbsoluteUri(uri.replace(beyondAscii, 'a'));
}

/** Whether an http or https URI has two slashes and then a host, which RFC 9110 §4.2.1 demands of it. */
export function namesHost(uri: string): boolean {
  return /^https?:\/\/[^/?#\\]/i.test(uri);
}
