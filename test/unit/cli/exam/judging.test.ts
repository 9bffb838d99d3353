import { expect } from 'chai';
import { findingOf, isGood, type Observed } from '#cli/exam/judge-case.ts';
import { isLike, likenessOf, matchesCriterion, readCriterion, shows } from '#cli/exam/logged-in-criterion.ts';
import { countsOf, exitCodeOf, reportJunit, reportText, wrongLines } from '#cli/exam/report.ts';
import type { LastPage } from '#cli/exam/visitor.ts';
import { verifies } from '#test/support/verifies.ts';

const home: LastPage = {
  url: new URL('http://app.example/home?x=1'),
  ...{ status: 200, text: 'Hello alice', cookieNames: ['user', 'login'], hasScript: false },
};

describe('what counts as logged in', () => {
  verifies('EXM-06', 'is said of the last page, all parts having to hold', () => {
    const holds = (text: string, page: Partial<LastPage> = {}) =>
      matchesCriterion({ ...home, ...page }, readCriterion(text));
    expect(holds('url=/home,text=Hello alice,status=200,cookie=user')).to.equal(true);
    expect(holds('text=Hello, alice')).to.equal(false);
    expect(holds('text=Hello, alice', { text: 'Hello, alice' })).to.equal(true);
    expect(holds('status=200', { status: 401 })).to.equal(false);
    expect(holds('url=/home,cookie=session')).to.equal(false);
    expect(() => readCriterion('title=Home')).to.throw(/url=, text=, status= or cookie=/);
    expect(() => readCriterion('status=ok')).to.throw(/HTTP status/);
  });

  verifies('EXM-06', 'is otherwise what the login without fault came to', () => {
    const likeness = likenessOf(home);
    expect(
      isLike({ ...home, url: new URL('http://app.example/home'), cookieNames: ['login', 'user'] }, likeness),
    ).to.equal(true);
    expect(isLike({ ...home, status: 401 }, likeness)).to.equal(false);
    expect(isLike({ ...home, url: new URL('http://app.example/') }, likeness)).to.equal(false);
    expect(isLike({ ...home, cookieNames: ['login'] }, likeness)).to.equal(false);
  });

  verifies('EXM-15', 'has a page of its own for the name that a forged answer brings', () => {
    const [own, other] = [
      'http://app.example/users/alice%40example.org',
      'http://app.example/users/forged%40evil.example',
    ];
    const likeness = likenessOf({ ...home, url: new URL(own) });
    const forged = { ...home, url: new URL(other) };
    const exchange = (text: string) => text.replaceAll('alice@example.org', 'forged@evil.example');
    expect(isLike(forged, likeness)).to.equal(false);
    expect(isLike(forged, likeness, exchange)).to.equal(true);
    expect(isLike({ ...home, url: new URL('http://app.example/login') }, likeness, exchange)).to.equal(false);
    const criterion = readCriterion('url=/users/alice@example.org');
    expect([matchesCriterion(forged, criterion), matchesCriterion(forged, criterion, exchange)]).to.deep.equal([
      false,
      true,
    ]);
  });

  verifies('EXM-15', 'finds names as words of their own', () => {
    expect(shows({ text: 'Hello alice.' }, 'alice')).to.equal(true);
    expect(shows({ text: 'Hello alice-other' }, 'alice')).to.equal(false);
    expect(shows({ text: 'Hello alice@example.org' }, 'alice')).to.equal(false);
    expect(shows({ text: 'admin@example.org.attacker.example' }, 'admin@example.org')).to.equal(false);
    expect(shows({ text: '(admin@example.org)' }, 'admin@example.org')).to.equal(true);
  });
});

describe('the judgement of a case', () => {
  const seen = (given: Partial<Observed>): Observed => ({
    ...{ arrival: { end: 'page', at: 'client', page: home }, hits: 1, isLoggedIn: true, loggedInAgain: false },
    ...given,
  });
  const at = (status: number) => ({ arrival: { end: 'page', at: 'client', page: { ...home, status } } as const });
  const result = (given: Partial<Observed>, expected: 'reject' | 'recover' = 'reject') =>
    findingOf(expected, seen(given)).result;

  verifies('EXM-12', 'tells accepted, rejected and crashed apart', () => {
    expect(result({})).to.equal('accepted');
    expect(result({ isLoggedIn: false })).to.equal('rejected');
    expect(result({ loggedInAgain: true })).to.equal('rejected');
    expect(result({ ...at(500), isLoggedIn: false })).to.equal('crashed');
    expect(result({ ...at(503), isLoggedIn: false })).to.equal('crashed');
    for (const status of [502, 503, 504])
      expect(result({ ...at(status), isLoggedIn: false }, 'recover')).to.equal('rejected');
    const url = home.url;
    expect(result({ arrival: { end: 'closed', at: 'client', url } })).to.equal('crashed');
    expect(result({ arrival: { end: 'late', at: 'client', url } })).to.equal('crashed');
    expect(result({ arrival: { end: 'closed', at: 'instance', url } })).to.equal('rejected');
    expect(result({ arrival: { end: 'stuck', url, reason: 'more than 30 redirects' } })).to.equal('undecided');
    expect(result({ isLoggedIn: undefined })).to.equal('undecided');
  });

  verifies('EXM-13', 'never says rejected of a fault that did not fire', () => {
    expect(result({ hits: 0, isLoggedIn: false })).to.equal('undecided');
    expect(result({ hits: 0, ...at(500) })).to.equal('undecided');
  });

  verifies('EXM-15', 'goes by the name where an answer brings another', () => {
    expect(result({ named: 'foreign' })).to.equal('accepted');
    expect(result({ named: 'own' })).to.equal('rejected');
    expect(result({ named: 'neither' })).to.equal('undecided');
    // The name is looked for first: a page of its own for that user is no page of nobody.
    expect(result({ named: 'foreign', isLoggedIn: false })).to.equal('accepted');
    expect(result({ ...at(403), named: 'foreign', isLoggedIn: false })).to.equal('rejected');
    expect(result({ named: 'own', isLoggedIn: false })).to.equal('rejected');
    expect(result({ named: 'neither', isLoggedIn: false })).to.equal('rejected');
    expect(result({ named: 'foreign', loggedInAgain: true })).to.equal('rejected');
  });

  verifies('EXM-14', 'is good by what the catalogue expects', () => {
    const good = [
      ['reject', 'rejected', true],
      ['reject', 'accepted', false],
      ['reject', 'crashed', false],
      ['accept', 'accepted', true],
      ['accept', 'rejected', false],
      ['recover', 'rejected', true],
      ['recover', 'accepted', true],
      ['recover', 'crashed', false],
      ['either', 'accepted', true],
      ['either', 'rejected', true],
      ['either', 'crashed', false],
      ['reject', 'undecided', undefined],
      ['accept', 'skipped', undefined],
    ] as const;
    for (const [expected, result, wanted] of good)
      expect(isGood(expected, result), `${expected} ${result}`).to.equal(wanted);
  });
});

describe('the report of an exam', () => {
  const one = (name: string, result: 'accepted' | 'rejected' | 'skipped' | 'undecided', good: boolean | null) => ({
    ...{ name, result, good, expected: 'reject' as const, reason: 'because of <this>', standard: 'RFC 8725 §3.1' },
    ...{ flow: null, duration_ms: 1500 },
  });
  const cases = [
    one('alg_none', 'accepted', false),
    one('kid_hostile', 'rejected', true),
    one('jwks_empty', 'skipped', null),
    one('iss_missing', 'undecided', null),
  ];
  const counts = countsOf(cases);
  const report = {
    ...{ client: 'web', login_url: 'http://app.example/login', cases, counts },
    control: { flow: 'f1', logins: 2, failed: false, failed_after: null },
  };

  verifies('EXM-21', 'is a line for each case, and one with the numbers', () => {
    expect(reportText(report).split('\n')).to.deep.equal([
      '✗ alg_none     accepted: because of <this>  (RFC 8725 §3.1)',
      '✓ kid_hostile  rejected: because of <this>  (RFC 8725 §3.1)',
      '- jwks_empty   skipped: because of <this>  (RFC 8725 §3.1)',
      '? iss_missing  undecided: because of <this>  (RFC 8725 §3.1)',
      '4 cases: 1 good, 1 bad, 1 undecided, 1 skipped',
      '',
    ]);
  });

  it('says what was done where the client did wrong, and where to see it', () => {
    const flowed = { ...report, cases: cases.map((each) => ({ ...each, flow: 'f7' })) };
    expect(wrongLines(flowed, () => 'Two words.', 'http://idp.example')).to.deep.equal([
      'alg_none: Two words. A correct client rejects the login. http://idp.example/flows/f7',
    ]);
  });

  it('names the case after which the application was broken', () => {
    const broken = { ...report, control: { ...report.control, failed: true, failed_after: 'hang@token' } };
    expect(reportText(broken)).to.match(/After hang@token, logins without a fault failed\. .*--except 'hang@token'\n$/);
  });

  verifies('EXM-23', 'is a JUnit suite', () => {
    const xml = reportJunit(report);
    expect(xml).to.include('tests="4" failures="1" errors="0" skipped="2"');
    expect(xml).to.match(
      /name="alg_none" time="1.500"><failure type="accepted" message="accepted: because of &#60;this&#62;">/,
    );
    expect(xml).to.match(/name="kid_hostile" time="1.500"\/>/);
    expect(xml).to.match(/name="jwks_empty"[^>]*><skipped/);
    expect(xml).to.match(/name="iss_missing"[^>]*><skipped/);
  });

  verifies('EXM-24', 'ends with 1 for a bad case, else with 2 for an undecided one', () => {
    expect(exitCodeOf(counts, true)).to.equal(1);
    expect(exitCodeOf(countsOf(cases.slice(1)), false)).to.equal(2);
    expect(exitCodeOf(countsOf(cases.slice(1)), true)).to.equal(0);
    expect(exitCodeOf(countsOf(cases.slice(1, 3)), false)).to.equal(0);
  });

  verifies(['EXM-16', 'EXM-24'], 'ends with 2 where logins without a fault fail, whatever is allowed', () => {
    const undecided = countsOf(cases.slice(1));
    expect(exitCodeOf(undecided, true, true), 'it could not look').to.equal(2);
    expect(exitCodeOf(counts, true, true), 'what is bad stays so').to.equal(1);
  });
});
