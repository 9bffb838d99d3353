// Tests how the built files are loaded (build/load-program.cjs), with small bundles in place of the program.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { repositoryRoot } from '#test/support/source-text.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the loader of the built program', () => {
  let folder: string;
  let cache: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'test-idp-loader-'));
    cache = join(folder, 'code-cache', 'this-build');
    const loader = readFileSync(join(repositoryRoot, 'build/load-program.cjs'), 'utf8');
    writeFileSync(
      join(folder, 'load-program.cjs'),
      loader
        .replace('__BUILD__', 'this-build')
        .replace('writtenAfterMilliseconds = 2_000', 'writtenAfterMilliseconds = 1'),
    );
    writeFileSync(join(folder, 'cli.cjs'), `${programPrinting('first')}\nsetTimeout(() => {}, 100);`);
    writeFileSync(join(folder, 'part.cjs'), 'let count = 0;\nexports.count = () => (count += 1);');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A program that prints a word, and how many programs have called the shared module. */
  const programPrinting = (word: string) =>
    `exports.say = () => console.log('${word}', require('./part.cjs').count());`;

  function run(script = "load('cli').say();", ...args: string[]) {
    const text = `const { load } = require(${JSON.stringify(join(folder, 'load-program.cjs'))});\n${script}`;
    writeFileSync(join(folder, 'run.cjs'), text);
    const ran = spawnSync(process.execPath, [join(folder, 'run.cjs'), ...args], { encoding: 'utf8' });
    return { out: ran.stdout, error: ran.stderr };
  }

  verifies('PKG-16', 'writes nothing if this build created no folder for compiled code', () => {
    const filesNow = () => readdirSync(folder, { recursive: true }).filter((name) => name !== 'run.cjs');
    const files = filesNow();
    expect(run()).to.deep.equal({ out: 'first 1\n', error: '' });
    expect(filesNow()).to.deep.equal(files);
    mkdirSync(join(folder, 'code-cache', 'other-build'), { recursive: true });
    expect(run()).to.deep.equal({ out: 'first 1\n', error: '' });
    expect(readdirSync(join(folder, 'code-cache'))).to.deep.equal(['other-build']);
    expect(readdirSync(join(folder, 'code-cache/other-build'))).to.deep.equal([]);
  });

  it('caches compiled code for each command and each entry, and uses it the next time', () => {
    mkdirSync(cache, { recursive: true });
    expect(run()).to.deep.equal({ out: 'first 1\n', error: '' });
    expect(run(undefined, 'start').out).to.equal('first 1\n');
    expect(run("load('part'); setTimeout(() => {}, 100);").error).to.equal('');
    expect(readdirSync(cache).map((name) => name.replace(/-[0-9a-f]+$/, ''))).to.deep.equal([
      'cli',
      'cli-start',
      'part',
    ]);
    // V8 compares only the length of the source. So this shows that the cache is used, and why each build has its own.
    writeFileSync(join(folder, 'cli.cjs'), readFileSync(join(folder, 'cli.cjs'), 'utf8').replace('first', 'later'));
    expect(run().out).to.equal('first 1\n');
    rmSync(cache, { recursive: true });
    expect(run().out).to.equal('later 1\n');
  });

  it('ignores and replaces a cache file that is damaged or was compiled from another source', () => {
    mkdirSync(cache, { recursive: true });
    run();
    const [name = ''] = readdirSync(cache);
    const path = join(cache, name);
    const whole = readFileSync(path);
    for (const damaged of [Buffer.alloc(0), whole.subarray(0, whole.length - 1), Buffer.from('nothing of it')]) {
      writeFileSync(path, damaged);
      expect(run()).to.deep.equal({ out: 'first 1\n', error: '' });
      expect(statSync(path).size).to.equal(whole.length);
    }
    writeFileSync(join(folder, 'cli.cjs'), `${programPrinting('another one')}\nsetTimeout(() => {}, 100);`);
    expect(run().out).to.equal('another one 1\n');
    expect(readFileSync(path).equals(whole)).to.equal(false);
    expect(readdirSync(cache)).to.deep.equal([name]);
  });

  for (const isKept of [false, true]) {
    it(`loads each bundle only once${isKept ? ', with compiled code too' : ''}`, () => {
      if (isKept) mkdirSync(cache, { recursive: true });
      const script = "load('cli').say(); load('cli').say(); console.log(load('part').count());";
      for (const attempt of ['first', 'second']) expect(run(script).out, attempt).to.equal('first 1\nfirst 2\n3\n');
      expect(existsSync(cache)).to.equal(isKept);
    });

    it(`runs a bundle again after it failed${isKept ? ', with compiled code too' : ''}`, () => {
      if (isKept) mkdirSync(cache, { recursive: true });
      writeFileSync(join(folder, 'part.cjs'), "throw new Error('half');");
      const attempts = "for (const one of [1, 2]) try { load('part'); } catch (error) { console.log(error.message); }";
      for (const attempt of ['first', 'second']) expect(run(attempts).out, attempt).to.equal('half\nhalf\n');
    });

    it(`imports external modules${isKept ? ', with compiled code too' : ''}`, () => {
      if (isKept) mkdirSync(cache, { recursive: true });
      const plugin = 'data:text/javascript,export const word = "plugin";';
      const imported = `require('./load-program.cjs').importModule(${JSON.stringify(plugin)})`;
      writeFileSync(
        join(folder, 'cli.cjs'),
        `exports.say = () => ${imported}.then(({ word }) => console.log(word));\nsetTimeout(() => {}, 100);`,
      );
      for (const attempt of ['first', 'second']) expect(run(), attempt).to.deep.equal({ out: 'plugin\n', error: '' });
    });

    it(`reports lines and columns of the file${isKept ? ', with compiled code too' : ''}`, () => {
      if (isKept) mkdirSync(cache, { recursive: true });
      const thrown = "exports.say = () => { throw new Error('x'); };\nsetTimeout(() => {}, 100);";
      writeFileSync(join(folder, 'cli.cjs'), thrown);
      const script = "try { load('cli').say(); } catch (error) { console.log(error.stack.split('\\n')[1]); }";
      for (const attempt of ['first', 'second'])
        expect(run(script).out, attempt).to.contain(`${join(folder, 'cli.cjs')}:1:29`);
    });
  }
});
