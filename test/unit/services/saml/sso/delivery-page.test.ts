import { expect } from 'chai';
import { deliveryReply } from '#services/saml/sso/delivery-page.ts';
import { verifies } from '#test/support/verifies.ts';

describe('deliveryReply', () => {
  verifies(['SAM-54', 'WEB-28'], 'inserts every value as text', () => {
    const hostile = '"><script>\'&amp;\r\n\t$& $1 slot-of-action slot-of-recipient';
    const reply = deliveryReply('login', {
      action: 'https://sp.example/acs?a=1&b="<',
      path: (path: string) => path,
      recipient: hostile,
      fields: [
        ['SAMLResponse', 'AAAA'],
        ['RelayState', hostile],
      ],
    });
    const escaped = '&quot;&gt;&lt;script&gt;&#39;&amp;amp;&#13;&#10;&#9;$&amp; $1 slot-of-action slot-of-recipient';
    const body = String(reply.body);
    expect(body).to.contain(
      `<form method="POST" action="https://sp.example/acs?a=1&amp;b=&quot;&lt;" data-auto-submit`,
    );
    expect(body).to.contain(
      `<input type="hidden" name="SAMLResponse" value="AAAA"><input type="hidden" name="RelayState" value="${escaped}">`,
    );
    expect(body).to.contain(`<bdi>${escaped}</bdi>`);
    expect(reply.noStore).to.equal(true);
  });

  it('says what it delivers', () => {
    const heading = (kind: 'login' | 'refusal' | 'repeat') =>
      /<h1[^>]*>([^<]+)</.exec(
        String(deliveryReply(kind, { action: '/', path: (path: string) => path, recipient: '', fields: [] }).body),
      )?.[1];
    expect(['login', 'refusal', 'repeat'].map((kind) => heading(kind as 'login'))).to.deep.equal([
      'You are logged in',
      'No login',
      'One moment',
    ]);
  });
});
