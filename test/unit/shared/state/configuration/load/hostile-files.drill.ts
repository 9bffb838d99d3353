// Hostile files: each causes one clear finding, in bounded time and memory.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { describeFinding } from '#shared/model/configuration/finding.ts';
import { loadDirectory } from '#shared/state/configuration/load/load-directory.ts';
import { bundleScript } from '#test/support/bundled-script.ts';
import { hostileTexts, manyFaults } from './hostile-texts.ts';

const outcome = z.object({
  what: z.string(),
  found: z.array(z.string()),
  count: z.number(),
  /** Processor time, which a busy machine changes little. */
  milliseconds: z.number(),
});

/** The memory of a small container. The biggest harmless file needs most of it. */
const heapMegabytesMax = 400;
const millisecondsMax = 15_000;

describe('hostile files', () => {
  const outcomes = new Map<string, z.output<typeof outcome>>();
  let end: unknown;

  before(async () => {
    const script = await bundleScript('hostile-files.ts');
    const limit = `--max-old-space-size=${heapMegabytesMax}`;
    const { stdout } = await promisify(execFile)(process.execPath, [limit, script], { maxBuffer: 64_000_000 });
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    end = lines.pop();
    for (const line of lines) {
      const each = outcome.parse(line);
      outcomes.set(each.what, each);
    }
  });

  const outcomeOf = (what: string) => {
    const found = outcomes.get(what);
    if (found === undefined) throw new Error(`${what} was not loaded.`);
    expect(found.milliseconds).to.be.below(millisecondsMax);
    return found;
  };

  for (const [what, { finding }] of Object.entries(hostileTexts)) {
    it(finding === undefined ? `${what} is harmless` : `${what} is one clear finding`, () => {
      const { found, count } = outcomeOf(what);
      if (finding === undefined) {
        expect(found).to.deep.equal([]);
      } else {
        expect(count, found.join('\n')).to.equal(1);
        expect(found[0]).to.match(finding);
      }
    });
  }

  for (const what of Object.keys(manyFaults)) {
    it(`with thousands of errors are reported with the first ones: ${what}`, () => {
      expect(outcomeOf(what).count).to.be.within(100, 250);
    });
  }

  it('never modify a prototype', () => {
    expect(end).to.deep.equal({ what: 'the end', polluted: false });
  });

  describe('on disk', () => {
    let directory: string;
    before(() => {
      directory = mkdtempSync(join(tmpdir(), 'test-idp-hostile-'));
      writeFileSync(join(directory, 'users.yaml'), 'users: {}\n');
    });
    after(() => rmSync(directory, { recursive: true }));

    const found = () =>
      loadDirectory({ directory, environment: {}, problemsOfFault }).findings.map((finding) =>
        describeFinding(finding),
      );
    const settings = () => join(directory, 'settings.yaml');

    it('of 10 MB are rejected before they are read', () => {
      writeFileSync(settings(), '');
      truncateSync(settings(), 10 * 1024 * 1024);
      expect(found()).to.deep.equal(['settings.yaml is larger than 2 MiB']);
    });

    it('with invalid UTF-8 are reported with the line', () => {
      writeFileSync(settings(), Buffer.from([...Buffer.from('a: 1\nb: '), 0xc3, 0x28]));
      expect(found()).to.deep.equal(['settings.yaml:2:1 is not UTF-8 text. Save it as UTF-8.']);
    });

    it('that are named pipes are rejected, and the process does not wait for them', () => {
      rmSync(settings());
      execFileSync('mkfifo', [settings()]);
      expect(found()).to.deep.equal(['settings.yaml is not a regular file']);
    });

    it('that are directories are rejected', () => {
      rmSync(settings());
      mkdirSync(settings());
      expect(found()).to.deep.equal(['settings.yaml is not a regular file']);
    });
  });
});
