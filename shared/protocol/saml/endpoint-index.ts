// The number by which a service provider tells its endpoints and attribute services apart: an xs:unsignedShort (SAML metadata
// §2.2.3, core §3.4.1), of which `02` and `2` write the same.

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
