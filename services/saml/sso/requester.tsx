// The sender of the request, in one sentence under the heading of the login page. For a request that names no sender,
// such as an unreadable one (SAM-16), the sentence names the address of the response.
import type { ComponentChildren } from 'preact';

export function requesterSentence(issuer: string | undefined, acsUrl: string): ComponentChildren {
  return issuer === undefined ? (
    <>
      The SAML request names no application. The response goes to <bdi>{acsUrl}</bdi>
    </>
  ) : (
    <>
      To continue to <bdi>{issuer}</bdi>
    </>
  );
}
