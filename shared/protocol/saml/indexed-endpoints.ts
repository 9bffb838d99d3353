// The index that distinguishes a service provider's endpoints and attribute services, an xs:unsignedShort (`02` and `2`
// are equal). Also decides which one is the default (SAML metadata §2.2.3, core §3.4.1).

const greatest = 65_535;

/** undefined: not a valid index. */
export function readEndpointIndex(written: string): number | undefined {
  const text = written.trim();
  const index = Number(text);
  return /^\d+$/.test(text) && index <= greatest ? index : undefined;
}

/** The one that a request names. undefined: the index is unknown or invalid. */
export function withIndex<Indexed extends { readonly index?: number | undefined }>(
  all: readonly Indexed[],
  written: string,
): Indexed | undefined {
  const index = readEndpointIndex(written);
  return index === undefined ? undefined : all.find((each) => each.index === index);
}

/**
 * If several are marked as the default, the first one counts (SAML metadata §2.2.3). Those that are used come before
 * the rest. An entry may have only one default.
 */
export function withOneDefault<Indexed extends { readonly default?: boolean | undefined }>(
  all: readonly Indexed[],
  used: readonly Indexed[],
): readonly Indexed[] {
  const isDefault = (each: Indexed) => each.default === true;
  const first = used.find(isDefault) ?? all.find(isDefault);
  return all.map((each) => (isDefault(each) && each !== first ? { ...each, default: undefined } : each));
}
