// Stops the exam's Chromium. A small program takes its place, whose child processes write on for a moment as Chromium's
// do.
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { startChromium } from '#cli/exam/chromium-process.ts';

const chromium = `#!${process.execPath}
const { spawn } = require('node:child_process');
const { Socket } = require('node:net');
const profile = process.argv.find((arg) => arg.startsWith('--user-data-dir=')).slice(16);
const answers = new Socket({ fd: 4 });
new Socket({ fd: 3 }).on('data', (asked) => {
  const { id } = JSON.parse(asked.toString().replace(/\\0/g, ''));
  answers.write(JSON.stringify({ id, result: { profile } }) + '\\0');
});
process.on('SIGTERM', () => {
  const writing = \`
    for (let until = Date.now() + 700, at = 0; Date.now() < until; at += 1) {
      try { require('node:fs').mkdirSync('D', { recursive: true }); require('node:fs').writeFileSync('D/' + at, ''); } catch {}
    }\`;
  spawn(process.execPath, ['-e', writing], { cwd: profile, detached: true, stdio: 'ignore' }).unref();
  setTimeout(() => process.exit(), 200);
});
`;

describe('the Chromium of the exam', () => {
  it('deletes its profile, even while its other processes still write into it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'test-idp-chromium-'));
    const named = process.env.CHROME_PATH;
    try {
      process.env.CHROME_PATH = join(folder, 'chromium');
      writeFileSync(process.env.CHROME_PATH, chromium);
      chmodSync(process.env.CHROME_PATH, 0o755);
      const { devtools, end } = await startChromium({ insecure: false });
      const { profile } = (await devtools.send('Browser.getVersion')) as { profile: string };
      expect(existsSync(profile)).to.equal(true);
      await end();
      expect(existsSync(profile)).to.equal(false);
    } finally {
      if (named === undefined) delete process.env.CHROME_PATH;
      else process.env.CHROME_PATH = named;
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
