// The response to a login with one change, without a server: what the SAML service sends when a fault fires.

import type { VerifiedAuthnRequest } from '#services/saml/protocol/verified-authn-request.ts';
import { answerWithLogin } from '#services/saml/sso/answer-service-provider.ts';
import type { SamlChange } from '#shared/engine/faults/saml/saml-change.ts';
import type { C14nAlgorithm } from '#shared/model/configuration/settings/saml.ts';
import { unspecifiedFormat } from '#shared/protocol/saml/name-formats.ts';
import { openEndpointContext } from '#test/support/endpoint-context.ts';
import { signingKey } from './signing-key.ts';

interface Answering {
  readonly c14n?: C14nAlgorithm;
  readonly sign?: boolean;
}

/** The Response of alice's login as the service provider gets it, or undefined if the response lacks the part to change. */
export async function changedAnswer(
  change: SamlChange,
  { c14n = 'exc_c14n', sign = true }: Answering = {},
): Promise<string | undefined> {
  const [active, unknownKey] = await Promise.all([signingKey('idp'), signingKey('stranger')]);
  // faults.saml.signed.test.ts is about two signatures (SRE-03).
  const settings = { saml: { c14n_algorithm: c14n, sign_responses: sign, sign: 'assertion' } };
  const user = { email: 'alice@example.org', password: 'wonderland' };
  const opened = await openEndpointContext({ settings, users: { alice: user } });
  let took = true;
  const context: typeof opened.context = {
    ...opened.context,
    signer: { signingKey: async () => active, signToken: () => Promise.reject(new Error('no token is signed')) },
    outputHooks: {
      async samlAnswer(answer, answerTools) {
        const { clock, random } = opened.context;
        const materialUrl = 'http://idp.example/api/faults/1/material';
        const site = { materialUrl, now: clock.now(), random, activeKey: active, unknownKey, answerTools };
        const changed = await change(answer, site);
        took = changed !== undefined;
        return changed ?? answer;
      },
    },
  };
  try {
    const alice = context.snapshot.users.get('alice');
    if (alice === undefined) throw new Error('alice does not exist');
    const received: Partial<VerifiedAuthnRequest> = {
      ...{ id: '_request', issuer: 'https://sp.example' },
      message: { samlRequest: '', relayState: 'r' },
    };
    const reply = await answerWithLogin(
      { received: received as VerifiedAuthnRequest, acsUrl: 'https://sp.example/acs', serviceProvider: undefined },
      {
        user: alice,
        login: { username: 'alice', method: 'password', at: context.clock.now() },
        format: unspecifiedFormat,
        audiences: ['https://sp.example'],
      },
      context,
      {},
    );
    const [, field = ''] = /name="SAMLResponse" value="([^"]+)"/.exec(String(reply.body)) ?? [];
    return took ? Buffer.from(field.replaceAll('&#13;&#10;', ''), 'base64').toString('utf8') : undefined;
  } finally {
    await opened.close();
  }
}
