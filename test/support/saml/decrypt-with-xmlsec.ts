// Decryption by the independent program `xmlsec1`, as a service provider does it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { privateKeyPem } from '#shared/state/keys/key-pair.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { requiredTool } from '../debian-programs.ts';

/** The document with all encrypted parts decrypted. @throws MissingToolError without `xmlsec1` */
export function decryptWithXmlsec(xml: string, key: SigningKey): string {
  const directory = mkdtempSync(join(tmpdir(), 'test-idp-decrypt-'));
  try {
    const [keyFile, file] = [join(directory, 'key.pem'), join(directory, 'document.xml')];
    writeFileSync(keyFile, privateKeyPem(key));
    let text = xml;
    // It decrypts one EncryptedData at a time, in place.
    const first = ['--node-xpath', `(//*[local-name()='EncryptedData'])[1]`];
    while (text.includes('EncryptedData>')) {
      writeFileSync(file, text);
      const args = ['--decrypt', '--privkey-pem', keyFile, ...first, file];
      text = execFileSync(requiredTool('xmlsec1'), args, { stdio: ['ignore', 'pipe', 'ignore'] }).toString();
    }
    return text;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
