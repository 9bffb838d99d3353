// The grammar of RFC 3986 §4.3, absolute-URI: scheme ":" hier-part [ "?" query ], no fragment. Written by hand, because
// the URL Standard's parser repairs what this grammar rejects and rejects what it allows (D37). Linear in its input.

const scheme = /^[A-Za-z][A-Za-z0-9+.-]*$/;
const pathOnly = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;
const queryOnly = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*$/;
const userinfoOnly = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:]|%[0-9A-Fa-f]{2})*$/;
const registeredName = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;
const futureAddress = /^[vV][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+$/;
const hexGroup = /^[0-9A-Fa-f]{1,4}$/;
const decimalOctet = /^(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])$/;
const digits = /^[0-9]*$/;

export function isAbsoluteUri(text: string): boolean {
  const colon = text.indexOf(':');
  if (colon < 1 || !scheme.test(text.slice(0, colon))) return false;
  const rest = text.slice(colon + 1);
  const question = rest.indexOf('?');
  if (question >= 0 && !queryOnly.test(rest.slice(question + 1))) return false;
  return isHierarchicalPart(question < 0 ? rest : rest.slice(0, question));
}

/** "//" authority path-abempty / path-absolute / path-rootless / path-empty */
function isHierarchicalPart(text: string): boolean {
  if (!text.startsWith('//')) return pathOnly.test(text);
  const slash = text.indexOf('/', 2);
  const authority = slash < 0 ? text.slice(2) : text.slice(2, slash);
  return isAuthority(authority) && (slash < 0 || pathOnly.test(text.slice(slash)));
}

/** [ userinfo "@" ] host [ ":" port ] */
function isAuthority(text: string): boolean {
  const at = text.indexOf('@');
  if (at >= 0 && !userinfoOnly.test(text.slice(0, at))) return false;
  const hostAndPort = text.slice(at + 1);
  if (hostAndPort.startsWith('[')) {
    const bracket = hostAndPort.indexOf(']');
    return bracket > 0 && isIpLiteral(hostAndPort.slice(1, bracket)) && isPortPart(hostAndPort.slice(bracket + 1));
  }
  const colon = hostAndPort.indexOf(':');
  if (colon < 0) return registeredName.test(hostAndPort);
  return registeredName.test(hostAndPort.slice(0, colon)) && digits.test(hostAndPort.slice(colon + 1));
}

function isPortPart(text: string): boolean {
  return text === '' || (text.startsWith(':') && digits.test(text.slice(1)));
}

function isIpLiteral(text: string): boolean {
  return isIpv6Address(text) || futureAddress.test(text);
}

/**
 * Eight groups of 16 bits. The last two may be an IPv4 address, and one run of zero groups may be shortened to "::".
 */
function isIpv6Address(text: string): boolean {
  const parts = text.split('::');
  if (parts.length > 2) return false;
  const [left = '', right] = parts;
  if (right === undefined) return groupsOf(left, true) === 8;
  const before = left === '' ? 0 : groupsOf(left, false);
  const after = right === '' ? 0 : groupsOf(right, true);
  return before !== undefined && after !== undefined && before + after <= 7;
}

/** The number of 16-bit groups in the text, or undefined when it contains anything else. */
function groupsOf(text: string, mayEndInIpv4: boolean): number | undefined {
  const groups = text.split(':');
  const last = groups.at(-1) ?? '';
  const endsInIpv4 = mayEndInIpv4 && last.includes('.');
  const hexGroups = endsInIpv4 ? groups.slice(0, -1) : groups;
  if (!hexGroups.every((group) => hexGroup.test(group))) return undefined;
  if (!endsInIpv4) return hexGroups.length;
  const octets = last.split('.');
  return octets.length === 4 && octets.every((octet) => decimalOctet.test(octet)) ? hexGroups.length + 2 : undefined;
}
