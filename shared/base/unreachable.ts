// What is said of an instance that could not be asked. One whose certificate is not trusted is there all the same, and who is told
// that nobody answers looks for the mistake elsewhere (TLS-05).

const authority =
  'NODE_EXTRA_CA_CERTS takes its authority, which a test-idp serves at /ca.pem and `test-idp ca` prints';

/** What Node.js calls a certificate that it does not take, and what helps. */
const certificateProblems: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', authority],
  ['SELF_SIGNED_CERT_IN_CHAIN', authority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', authority],
  ['UNABLE_TO_GET_ISSUER_CERT', authority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', authority],
  ['CERT_SIGNATURE_FAILURE', authority],
  ['CERT_HAS_EXPIRED', 'its time is over'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'it has other names; `server.tls_names` adds some to that of `server.tls: auto`'],
]);

/** `reason`: the code of what went wrong, else its sentence. `absent`: what is said where it is no certificate. */
export function unreachableSentence(
  address: string,
  reason: string,
  absent = `nobody answers at ${address} (${reason})`,
): string {
  const remedy = certificateProblems.get(reason);
  return remedy === undefined ? absent : `the certificate of ${address} is not trusted (${reason}): ${remedy}`;
}
