// A sandbox accepts the tokens that a fault changed in it as the default identity provider accepts its own. No other
// namespace accepts them.
import { expect } from 'chai';
import { faultCatalogue } from '#shared/engine/faults/catalogue/index.ts';
import { alice } from '#test/support/credentials.ts';
import { noFaults, setFault } from '#test/support/faults.ts';
import { makeSandbox, type NamespaceUnderTest, namespaceAt } from '#test/support/sandboxes.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const form = { grant_type: 'password', ...alice, scope: 'openid email offline_access', nonce: 'mine' };
type Tokens = Readonly<Record<string, string>>;

const changingTokens = faultCatalogue.filter(
  ({ at, phase, transform }) =>
    phase === 'after' &&
    at.includes('token') &&
    ['token', 'granted_scope', 'key_rotation'].includes(transform({}).hookPoint),
);

describe('tokens changed by a fault in a sandbox', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());

  /** Returns how the endpoints of a namespace treat the tokens of a response. */
  async function uses({ post, userinfo }: NamespaceUnderTest, { access_token, refresh_token = '' }: Tokens) {
    return {
      userinfo: await userinfo(access_token),
      refresh: (await post('/token', { grant_type: 'refresh_token', refresh_token })).status,
    };
  }

  /** Undefined if this grant has no token for the fault. */
  async function faulty(namespace: NamespaceUnderTest, fault: string): Promise<Tokens | undefined> {
    await setFault(namespace, fault);
    const { body, headers } = await namespace.post('/token', form);
    if (headers.get('X-Test-Idp-Fault') === fault) return body;
    await noFaults(namespace);
    return undefined;
  }

  verifies(
    ['FLT-20', 'SBX-28', 'FLT-K103', 'FLT-K093'],
    'are accepted there exactly as the default identity provider accepts its own, and nowhere else',
    async () => {
      expect(changingTokens).to.have.length.above(40);
      const home = namespaceAt(idp, '');
      const sandbox = await makeSandbox(idp);
      let useful = 0;
      for (const { name } of changingTokens) {
        const [right, changed] = [await faulty(home, name), await faulty(sandbox, name)];
        expect(changed === undefined, name).to.equal(right === undefined);
        if (right === undefined || changed === undefined) continue;
        const usesHere = await uses(home, right);
        expect(await home.userinfo(changed.access_token), name).to.equal(401);
        expect(await uses(sandbox, changed), name).to.deep.equal(usesHere);
        if (usesHere.userinfo === 200) useful += 1;
      }
      expect(useful).to.be.above(20);
    },
  );
});
