// Replaces secrets in addresses: credentials before the host, and values in the query and the fragment.
import { userinfoName } from './secret-names.ts';

/**
 * How many levels of addresses within queries of addresses are searched, including addresses within a sentence there.
 */
const nestingMax = 3;

/**
 * Replaces the secrets in an address: the part before the `@` of its host, and values of its query and fragment. `mask`
 * gets a decoded value with its name and returns the replacement. undefined leaves the value unchanged.
 */
function maskAddress(
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

/** The scheme's length is bounded, or a long word would be searched again from each of its characters. */
const addressInText = /[a-z][a-z0-9+.-]{0,30}:\/[^\s"'<>]+/gi;

/** Replaces the secrets in a text that is an address or contains addresses, such as a sentence or JSON. */
export function maskAddresses(
  text: string,
  mask: (value: string, name: string) => string | undefined,
  nesting = nestingMax,
): string {
  if (isAddress(text)) return maskAddress(text, mask, nesting);
  return text.includes(':/') ? text.replace(addressInText, (address) => maskAddress(address, mask, nesting)) : text;
}

/** A URL with a path or a host, or only the path of one. Private schemes have only one slash (RFC 8252 §7.1). */
function isAddress(value: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:)?\//i.test(value);
}

/** Lone surrogates become U+FFFD. JSON can contain them, addresses cannot. */
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
