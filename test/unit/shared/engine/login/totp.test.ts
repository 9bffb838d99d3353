import { expect } from 'chai';
import fc from 'fast-check';
import { instant } from '#shared/base/clock.ts';
import { checkTotpCode } from '#shared/engine/login/totp.ts';
import { verifies } from '#test/support/verifies.ts';

// RFC 6238 appendix B: the ASCII secret 12345678901234567890. The last six digits of its values are the code.
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const vectors = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const;

describe('time-based codes', () => {
  verifies(['AUT-55', 'LOG-13'], 'are the values of RFC 6238 for SHA-1, six digits and 30 seconds', async () => {
    for (const [seconds, code] of vectors) {
      expect(await checkTotpCode(secret, code, instant(seconds * 1000))).to.equal(true);
    }
    expect(await checkTotpCode(secret, '287083', instant(59_000))).to.equal(false);
  });

  verifies(['AUT-55', 'LOG-13'], 'are accepted up to one step early or late', async () => {
    const step = 37_037_037; // 1111111110 to 1111111139 s, whose value is 050471
    const start = step * 30_000;
    const at = (milliseconds: number) => checkTotpCode(secret, '050471', instant(start + milliseconds));
    expect(await at(0)).to.equal(true);
    expect(await at(29_999)).to.equal(true);
    expect(await at(-30_000)).to.equal(true);
    expect(await at(-30_001)).to.equal(false);
    expect(await at(59_999)).to.equal(true);
    expect(await at(60_000)).to.equal(false);
  });

  it('accept a secret in any case, with spaces and padding, and short ones', async () => {
    expect(await checkTotpCode('gezd gnbv gy3t qojq gezd gnbv gy3t qojq', '287082', instant(59_000))).to.equal(true);
    expect(await checkTotpCode(`${secret}======`, '287082', instant(59_000))).to.equal(true);
    expect(await checkTotpCode('GEZDGNBV', '287082', instant(59_000))).to.equal(false);
  });

  verifies('LOG-13', 'are wrong if they are not six ASCII digits', async () => {
    for (const code of ['', '28708', '2870820', '28708a', '２８７０８２', '287 082', '+28708', '0x1234']) {
      expect(await checkTotpCode(secret, code, instant(59_000))).to.equal(false);
    }
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 50 }), async (code) => {
        if (code !== '287082' && !/^[0-9]{6}$/.test(code)) {
          expect(await checkTotpCode(secret, code, instant(59_000))).to.equal(false);
        }
      }),
    );
  });
});
