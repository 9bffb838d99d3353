// Independent verifiers of XML signatures: libxmlsec (the `xmlsec1` program) and xml-crypto. Both throw an error instead of
// returning false, so that a test shows the reason.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DOMParser } from '@xmldom/xmldom';
import { C14nCanonicalization, SignedXml } from 'xml-crypto';
import { MissingToolError, requiredTool } from '../debian-programs.ts';

const run = promisify(execFile);
const signatureNamespace = 'http://www.w3.org/2000/09/xmldsig#';

/**
 * Verifies one signature of the document, counted from 1, as libxml2 and libxmlsec understand it.
 * @throws MissingToolError without `xmlsec1`
 */
export async function verifyWithXmlsec(xml: string, certificatePem: string, which = 1): Promise<void> {
  const xmlsec = requiredTool('xmlsec1');
  const directory = mkdtempSync(join(tmpdir(), 'test-idp-xmlsec-'));
  try {
    const certificate = join(directory, 'certificate.pem');
    const document = join(directory, 'document.xml');
    writeFileSync(certificate, certificatePem);
    writeFileSync(document, xml);
    const ids = [
      'urn:oasis:names:tc:SAML:2.0:protocol:Response',
      'urn:oasis:names:tc:SAML:2.0:protocol:AuthnRequest',
      'urn:oasis:names:tc:SAML:2.0:protocol:LogoutRequest',
      'urn:oasis:names:tc:SAML:2.0:protocol:LogoutResponse',
      'urn:oasis:names:tc:SAML:2.0:protocol:Extensions',
      'urn:oasis:names:tc:SAML:2.0:assertion:Assertion',
      'urn:oasis:names:tc:SAML:2.0:metadata:EntityDescriptor',
    ].flatMap((name) => ['--id-attr:ID', name]);
    const node = ['--node-xpath', `(//*[local-name()='Signature'])[${which}]`];
    await run(xmlsec, ['--verify', '--pubkey-cert-pem', certificate, ...node, ...ids, document]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Whether that signature is valid. @throws MissingToolError */
export async function isRightForXmlsec(xml: string, certificatePem: string, which = 1): Promise<boolean> {
  try {
    await verifyWithXmlsec(xml, certificatePem, which);
    return true;
  } catch (error) {
    if (error instanceof MissingToolError) throw error;
    return false;
  }
}

/** Verifies every signature of the document, and returns the canonical text that each of them covers. */
export function verifyWithXmlCrypto(xml: string, certificatePem: string): string[] {
  const document = new DOMParser({ onError: () => undefined }).parseFromString(xml, 'text/xml');
  const covered: string[] = [];
  for (const signature of [...document.getElementsByTagNameNS(signatureNamespace, 'Signature')]) {
    const verifier = new SignedXml({ publicCert: certificatePem });
    Object.assign(verifier.CanonicalizationAlgorithms, {
      'http://www.w3.org/2006/12/xml-c14n11': C14nCanonicalization,
    });
    verifier.loadSignature(signature.toString());
    if (!verifier.checkSignature(xml)) throw new Error('xml-crypto: the signature does not verify');
    covered.push(...verifier.getSignedReferences());
  }
  if (covered.length === 0) throw new Error('the document holds no signature');
  return covered;
}
