// Addresses with secrets replaced: credentials before the host, values of query and fragment.
import { userinfoName } from './secret-names.ts';

/** How deep addresses in the queries of addresses are looked into, also where a sentence there names one. */
const nestingMax = 3;

/**
 * An address with whatever is secret in it replaced: what stands before the `@` of its host, and values of its query and
 * fragment. `mask` gets a decoded value with its name and returns what stands for it; undefined leaves it.
 */
export function maskAddress(
  address: string,
  mask: (value: string, name: string) => string | undefined,
  nesting = nestingMax,
): string {
  return address
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/?#]+)@/i, (whole, scheme: string, userinfo: string) => {
      const masked = mask(decoded(userinfo), userinfoName);
      return masked === undefined ? whole : `${scheme}${masked}@`;
    })
    .replace(/([?&#;])([^=&#?;]+)=([^&#;]*)/g, (whole, before: string, name: string, value: string) => {
      const plain = decoded(value);
      if (plain === '') return whole;
      const masked = mask(plain, decoded(name));
      if (masked !== undefined) return `${before}${name}=${masked}`;
      if (nesting === 0) return whole;
      const within = maskAddresses(plain, mask, nesting - 1);
      return within === plain ? whole : `${before}${name}=${encoded(within)}`;
    });
}

/** A scheme is bounded, or a long word would be looked through once for each of its characters. */
const addressInText = /[a-z][a-z0-9+.-]{0,30}:\/[^\s"'<>]+/gi;

/** A text that is an address or holds some, such as a sentence or JSON, with whatever is secret in them replaced. */
export function maskAddresses(
  text: string,
  mask: (value: string, name: string) => string | undefined,
  nesting = nestingMax,
): string {
  if (isAddress(text)) return maskAddress(text, mask, nesting);
  return text.includes(':/') ? text.replace(addressInText, (address) => maskAddress(address, mask, nesting)) : text;
}

/** A URL with a path or a host (private schemes have but one slash, RFC 8252 §7.1), or the path of one. */
export function isAddress(value: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:)?\//i.test(value);
}

/** Halves of surrogate pairs, which JSON can bring and no address can hold, become U+FFFD. */
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
