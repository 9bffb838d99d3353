// Files made to hurt: each is refused with one clear finding, in bounded time and memory.
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeFinding } from '#shared/configuration/finding.ts';
import { loadDirectory } from '#shared/configuration/load/load-directory.ts';
import { accepted, findingsOf } from '../load-texts.ts';

const bomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghijklmnop'.split('').map((name, index) => {
    const inner = `*${'abcdefghijklmnop'[index]}`;
    return `${name}: &${name} [${Array(9).fill(inner).join(', ')}]`;
  }),
].join('\n');

const hostile: Readonly<Record<string, readonly [text: string, finding: RegExp]>> = {
  'an alias bomb': [bomb, /^error: settings\.yaml:1:\d+ holds aliases that stand for too much/],
  'a cycle': ['plugins: &p\n  x: *p', /^error: settings\.yaml:2:6 plugins\.x is an alias that contains itself/],
  'an alias of nothing': [
    'server: *nope',
    /^error: settings\.yaml:1:9 server is an alias of an anchor that is not set/,
  ],
  'a doubled key': ['server: {}\nserver: {}', /^error: settings\.yaml:2:1 server stands here twice/],
  'a tab as indentation': ['server:\n\tport: 1', /^error: settings\.yaml:2:\d+ is not valid YAML: a tab cannot indent/],
  'the key __proto__': ['__proto__:\n  polluted: true', /^error: settings\.yaml:1:1 __proto__ is not a name/],
  'a merge key': [
    'x: &x {port: 1}\nserver:\n  <<: *x',
    /^error: settings\.yaml:3:3 server\.<< \(a merge key\) is not supported/,
  ],
  'a tag': ['server: !!js/function "x"', /^error: settings\.yaml:1:\d+ server has a YAML tag/],
  'two documents': ['a: 1\n---\nb: 2', /^error: settings\.yaml:\d+:\d+ holds more than one YAML document/],
  'a key that is no text': ['? [a]\n: b', /^error: settings\.yaml:\d+:\d+ has a key that is not text/],
  'a list instead of a mapping': ['- a', /^error: settings\.yaml:1:1 must be a mapping/],
  'deep nesting, closed': [
    `a: ${'['.repeat(200)}${']'.repeat(200)}`,
    /^error: settings\.yaml:1:\d+ .*is nested too deeply/,
  ],
  'deep nesting, open': ['['.repeat(20_000), /^error: settings\.yaml:1:\d+ /],
  'many doubled keys': ['a: 1\n'.repeat(20_000), /^error: settings\.yaml:2:1 a stands here twice/],
  'a text without end': [
    `a: "${'x'.repeat(200_000)}`,
    /^error: settings\.yaml:1:\d+ is not valid YAML: a character is missing/,
  ],
};

describe('hostile files', function () {
  this.timeout(60_000);

  for (const [what, [text, expected]] of Object.entries(hostile)) {
    it(`${what} is one clear finding`, () => {
      const heap = process.memoryUsage().heapUsed;
      const found = findingsOf(text);
      expect(found[0]).to.match(expected);
      expect(found.length).to.be.at.most(50);
      expect(process.memoryUsage().heapUsed - heap).to.be.below(400 * 1024 * 1024);
      expect('polluted' in {}).to.equal(false);
    });
  }

  it('a byte order mark and Windows line ends are no faults', () => {
    expect(accepted('\uFEFFserver:\r\n  port: 8001\r\n').settings.server.port).to.equal(8001);
  });

  describe('on disk', () => {
    let directory: string;
    before(() => {
      directory = mkdtempSync(join(tmpdir(), 'test-idp-hostile-'));
      writeFileSync(join(directory, 'users.yaml'), 'users: {}\n');
    });
    after(() => rmSync(directory, { recursive: true }));

    const found = () =>
      loadDirectory({ directory, environment: {} }).findings.map((finding) => describeFinding(finding));
    const settings = () => join(directory, 'settings.yaml');

    it('10 MB are refused before they are read', () => {
      writeFileSync(settings(), '');
      truncateSync(settings(), 10 * 1024 * 1024);
      expect(found()).to.deep.equal(['settings.yaml is larger than 2 MiB']);
    });

    it('invalid UTF-8 is named with its line', () => {
      writeFileSync(settings(), Buffer.from([...Buffer.from('a: 1\nb: '), 0xc3, 0x28]));
      expect(found()).to.deep.equal(['settings.yaml:2:1 is not UTF-8 text; save it in that encoding']);
    });

    it('a directory in the place of a file is no file', () => {
      rmSync(settings());
      mkdirSync(settings());
      expect(found()).to.deep.equal(['settings.yaml is not a regular file']);
    });
  });
});
