// How long the contents of a session cookie are valid, in real time.
import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import {
  browserSession,
  readSessionCookie,
  type SessionContent,
  withoutOldGrant,
} from '#shared/engine/exchange/session-cookie.ts';

const secret = 'a secret of the cookie';
const given = 1_767_225_600_000;
const hours = 3_600_000;

describe('the session cookie', () => {
  const cookieAt = (content: SessionContent, at: number, changes: { unlocked?: string | undefined }) => {
    const session = browserSession(content, true, secret, false, { name: 'c', path: '/' }, { id: 'x'.repeat(16), at });
    const value = session.cookie(changes).split(';')[0]?.slice('c='.length) ?? '';
    return readSessionCookie(value, secret) ?? expect.fail('no cookie of its own');
  };
  const plain = { browser: 'b'.repeat(24) };

  it('is unlocked for 24 hours of real time after the last unlocking', () => {
    const unlocked = cookieAt(plain, given, { unlocked: 'mark' });
    const at = (content: SessionContent, real: number) => withoutOldGrant(content, instant(real)).unlocked;
    expect(at(unlocked, given + 24 * hours - 1)).to.equal('mark');
    expect(at(unlocked, given + 24 * hours)).to.equal(undefined);
    const kept = cookieAt(unlocked, given + hours, {});
    expect(at(kept, given + 24 * hours)).to.equal(undefined);
    const renewed = cookieAt(unlocked, given + hours, { unlocked: 'mark' });
    expect(at(renewed, given + 24 * hours)).to.equal('mark');
    expect(at(unlocked, given - hours)).to.equal(undefined);
  });

  it('has an id for logout only while it holds a login or an unlocking', () => {
    const unlocked = cookieAt(plain, given, { unlocked: 'mark' });
    expect(unlocked.grant?.id).to.equal('x'.repeat(16));
    expect(cookieAt(unlocked, given, { unlocked: undefined }).grant).to.equal(undefined);
    expect(cookieAt(plain, given, {}).grant).to.equal(undefined);
  });

  it('without such an id, from an earlier version, holds neither', () => {
    const former = { ...plain, login: { username: 'alice', at: given, method: 'password' as const }, unlocked: 'mark' };
    const content = withoutOldGrant(former, instant(given));
    expect([content.browser, content.login, content.unlocked]).to.deep.equal([plain.browser, undefined, undefined]);
  });
});
