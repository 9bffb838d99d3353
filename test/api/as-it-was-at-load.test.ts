// An instance whose test replaces functions of Node.js modules after the library is loaded, as fakes of timers and
// interceptors do. start-api.drill.ts uses sinon, msw and nock themselves.
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { apiPath } from '#test/support/start-api.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the modules of Node.js at the time when the library was loaded', () => {
  verifies('API-34', 'serve an instance, even after they were replaced', () => {
    const script = `
      const { startIdp } = await import(${JSON.stringify(pathToFileURL(apiPath).href)});
      const { createRequire } = await import('node:module');
      const require = createRequire('/');
      const fakes = ['timers', 'timers/promises', 'http', 'https', 'net', 'crypto', 'fs/promises'];
      for (const name of fakes) {
        const module = require('node:' + name);
        for (const key of Object.keys(module)) {
          if (/^[a-z]/.test(key) && typeof module[key] === 'function' && Object.getOwnPropertyDescriptor(module, key).writable) {
            module[key] = () => { throw new Error(name + '.' + key + ' was asked for'); };
          }
        }
      }
      const idp = await startIdp({ users: { bob: { password: 'b' } } });
      const { access_token } = await idp.token({ user: 'bob' });
      console.log(typeof access_token);
      await idp.stop();`;
    const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect([ran.stdout, ran.stderr]).to.deep.equal(['string\n', '']);
  });
});
