// Who asked for the login, in one sentence under the heading of its page. A request that names nobody, as one that could
// not be read (SAM-16), still says where its answer will go.
import type { ComponentChildren } from 'preact';

export function requesterSentence(issuer: string | undefined, acsUrl: string): ComponentChildren {
  return issuer === undefined ? (
    <>
      The SAML request names no application. Its answer goes to <bdi>{acsUrl}</bdi>
    </>
  ) : (
    <>
      To go on to <bdi>{issuer}</bdi>
    </>
  );
}
