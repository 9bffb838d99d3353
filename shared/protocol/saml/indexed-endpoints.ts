// The number by which a service provider tells its endpoints and attribute services apart, an xs:unsignedShort, of which `02` and
// `2` write the same, and which of them counts without it (SAML metadata §2.2.3, core §3.4.1).

const greatest = 65_535;

/** undefined: it is none. */
export function readEndpointIndex(written: string): number | undefined {
  const text = written.trim();
  const index = Number(text);
  return /^\d+$/.test(text) && index <= greatest ? index : undefined;
}

/** The one that a request asks for; undefined: nobody has that index, or it is none. */
export function withIndex<Indexed extends { readonly index?: number | undefined }>(
  all: readonly Indexed[],
  written: string,
): Indexed | undefined {
  const index = readEndpointIndex(written);
  return index === undefined ? undefined : all.find((each) => each.index === index);
}

/**
 * Of several that say they are the default the first counts (SAML metadata §2.2.3), of those that are used where there is one,
 * and an entry may have no other.
 */
export function withOneDefault<Indexed extends { readonly default?: boolean | undefined }>(
  all: readonly Indexed[],
  used: readonly Indexed[],
): readonly Indexed[] {
  const isDefault = (each: Indexed) => each.default === true;
  const first = used.find(isDefault) ?? all.find(isDefault);
  return all.map((each) => (isDefault(each) && each !== first ? { ...each, default: undefined } : each));
}
