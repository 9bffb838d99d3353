// The tables of rejections as a whole: one code for each cause, and only references that a reader can look up.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { scopeRefusals } from '#shared/model/refusals/families/scope-and-resource.ts';
import { findRefusal, refusalFamilies } from '#shared/model/refusals/index.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { aboutUser, detailsOf, RefusedError } from '#shared/model/refusals/refusal.ts';
import { repositoryRoot } from '#test/support/source-text.ts';

const all = refusalFamilies.flatMap(({ refusals }) => refusals);

describe('the rejections', () => {
  it('have a unique code each', () => {
    expect(all.length).to.be.greaterThan(150);
    for (const refusal of all) expect(findRefusal(refusal.code), refusal.code).to.equal(refusal);
    expect(new Set(all.map(({ code }) => code)).size).to.equal(all.length);
    for (const { code } of all) expect(code).to.match(/^(?:[a-z]+(?:_[a-z]+)+|MCP_[A-Z_]+)$/);
  });

  it('refer to a standard or an existing heading, and to no clause of this project', () => {
    const anchors = new Map(
      ['settings.md', 'errors.md'].map((file) => [
        file,
        anchorsOf(readFileSync(join(repositoryRoot, 'docs', file), 'utf8')),
      ]),
    );
    for (const { code, expected, standard } of all) {
      expect(`${expected} ${standard.reference}`, code).not.to.match(/\b(?!SHA)[A-Z]{3}-\d\d|contract/);
      if (standard.link !== undefined) continue;
      const [, file = '', anchor = ''] = /^docs\/([^#]+)#(.+)$/.exec(standard.reference) ?? [];
      expect(anchors.get(file)?.has(anchor), `${code}: ${standard.reference}`).to.equal(true);
    }
  });

  it('give the caller one sentence, and the audit the code, reason and evidence', () => {
    const error = oauthError(authorizeRefusals.redirect_uri_not_registered, {
      sent: 'https://evil.example/cb',
      candidates: ['https://app.example/cb', 'https://*.example/cb'],
      nearest: { registered: 'https://app.example/cb', differs_in: ['host'] },
    });
    expect(error.body.error).to.equal('invalid_request');
    expect(error.message).not.to.contain('evil');
    expect(detailsOf(error)).to.deep.equal({
      reason: 'The redirect_uri is not registered for this client: https://evil.example/cb',
      refusal: 'redirect_uri_not_registered',
      sent: 'https://evil.example/cb',
      registered: ['https://app.example/cb', 'https://*.example/cb'],
      nearest: 'https://app.example/cb',
      differs_in: ['host'],
    });
  });

  it('name the client or user only where it is known', () => {
    const refuse = () =>
      aboutUser('alice', () => {
        throw oauthError(scopeRefusals.scope_blank);
      });
    expect(refuse).to.throw(RefusedError).with.property('username', 'alice');
    expect(oauthError(scopeRefusals.scope_blank).username).to.equal(undefined);
  });
});

/** The anchor that Markdown viewers make of a heading. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}
