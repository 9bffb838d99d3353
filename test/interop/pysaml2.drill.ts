// pysaml2, a SAML library in Python, queries attributes and verifies the signed response.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { toolOrSkip } from '#test/support/debian-programs.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { demoUsers } from '#test/support/worlds.ts';

const script = fileURLToPath(new URL('./pysaml2-attribute-query.py', import.meta.url));
/** Debian's own Python, which has the package. Another Python on the PATH would not. */
const python = '/usr/bin/python3';

describe("Debian's python3-pysaml2", () => {
  it('gets the attributes of a user and accepts the signature', async function () {
    toolOrSkip(this, 'xmlsec1');
    await promisify(execFile)(python, ['-c', 'import saml2']).catch(() =>
      toolOrSkip(this, 'pysaml2', 'python3-pysaml2'),
    );
    const idp = await startIdp({
      settings: { oauth: { issuer_from_request: true }, saml: { export_roles: true } },
      users: {
        users: { ...demoUsers.users, alice: { ...demoUsers.users.alice, attributes: { team: '<&"\'>]]> ✓' } } },
      },
    });
    try {
      const metadataFile = join(idp.root, 'idp.xml');
      writeFileSync(metadataFile, await (await fetch(`${idp.baseUrl}/saml/metadata`)).text());
      const { stdout } = await promisify(execFile)(python, [
        script,
        metadataFile,
        `${idp.baseUrl}/saml`,
        `${idp.baseUrl}/saml/attribute-query`,
        'alice',
        'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
      ]);
      expect(JSON.parse(stdout)).to.deep.equal({
        issuer: `${idp.baseUrl}/saml`,
        in_response_to: true,
        name_id: 'alice',
        attributes: { email: ['alice@example.org'], roles: ['USER', 'ADMIN'], team: ['<&"\'>]]> ✓'] },
      });
    } finally {
      await idp.stop();
    }
  });
});
