// What a service provider reads of an encrypted document, as libxmlsec decrypts it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requiredTool } from '../debian-programs.ts';

/** Everything that is encrypted for the key, in place: xmlsec1 decrypts one EncryptedData at a time. */
export function decryptWithXmlsec(xml: string, privateKeyPem: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'test-idp-decrypt-'));
  try {
    const key = join(directory, 'key.pem');
    const file = join(directory, 'document.xml');
    writeFileSync(key, privateKeyPem);
    let text = xml;
    while (text.includes('EncryptedData>')) {
      writeFileSync(file, text);
      const which = ['--node-xpath', `(//*[local-name()='EncryptedData'])[1]`];
      text = execFileSync(requiredTool('xmlsec1'), ['--decrypt', '--privkey-pem', key, ...which, file], {
        stdio: ['ignore', 'pipe', 'ignore'],
      }).toString();
    }
    return text;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
