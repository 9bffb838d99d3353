// The message about an instance that did not respond. If its certificate is not trusted, the instance exists, and a
// message that it does not respond would mislead the user (TLS-05).

const authority =
  'Set NODE_EXTRA_CA_CERTS to the file of its authority, which test-idp serves at /ca.pem and `test-idp ca` prints';

/** Node.js error codes for rejected certificates, and what helps. */
const certificateProblems: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', authority],
  ['SELF_SIGNED_CERT_IN_CHAIN', authority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', authority],
  ['UNABLE_TO_GET_ISSUER_CERT', authority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', authority],
  ['CERT_SIGNATURE_FAILURE', authority],
  ['CERT_HAS_EXPIRED', 'It has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'It has other names. With `server.tls: auto`, add names with `server.tls_names`'],
]);

/** `reason`: the error code, otherwise its message. `absent`: the message when the certificate is not the cause. */
export function unreachableSentence(
  address: string,
  reason: string,
  absent = `no response from ${address} (${reason})`,
): string {
  const remedy = certificateProblems.get(reason);
  return remedy === undefined ? absent : `the certificate of ${address} is not trusted (${reason}). ${remedy}`;
}
