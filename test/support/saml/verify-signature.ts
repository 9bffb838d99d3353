// Independent verifiers of XML signatures: libxmlsec (the `xmlsec1` program) and xml-crypto. Both throw an error instead of
// returning false, so that a test shows the reason.
import { execFile } from 'node:child_process';
import { constants, createHash, createPublicKey, type KeyLike, verify } from 'node:crypto';
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

/** RSA-PSS and SHA-384 by node:crypto, because neither xmlsec1 1.2 nor xml-crypto knows them. */
const pss = (hash: string) =>
  class {
    getAlgorithmName = () => `http://www.w3.org/2007/05/xmldsig-more#${hash}-rsa-MGF1`;
    getSignature = (): never => {
      throw new Error('only verifies');
    };
    verifySignature(material: string, key: KeyLike, value: string): boolean {
      const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
      return verify(
        hash,
        Buffer.from(material),
        { key: createPublicKey(String(key)), ...padding },
        Buffer.from(value, 'base64'),
      );
    }
  };
const sha384 = class {
  getAlgorithmName = () => 'http://www.w3.org/2001/04/xmldsig-more#sha384';
  getHash = (content: string) => createHash('sha384').update(content, 'utf8').digest('base64');
};

/** Verifies every signature of the document, and returns the canonical text that each of them covers. */
export function verifyWithXmlCrypto(xml: string, certificatePem: string): string[] {
  const document = new DOMParser({ onError: () => undefined }).parseFromString(xml, 'text/xml');
  const covered: string[] = [];
  for (const signature of [...document.getElementsByTagNameNS(signatureNamespace, 'Signature')]) {
    const verifier = new SignedXml({ publicCert: certificatePem });
    Object.assign(verifier.CanonicalizationAlgorithms, {
      'http://www.w3.org/2006/12/xml-c14n11': C14nCanonicalization,
    });
    for (const hash of ['sha256', 'sha384', 'sha512']) {
      Object.assign(verifier.SignatureAlgorithms, {
        [`http://www.w3.org/2007/05/xmldsig-more#${hash}-rsa-MGF1`]: pss(hash),
      });
    }
    Object.assign(verifier.HashAlgorithms, { 'http://www.w3.org/2001/04/xmldsig-more#sha384': sha384 });
    verifier.loadSignature(signature.toString());
    if (!verifier.checkSignature(xml)) throw new Error('xml-crypto: the signature does not verify');
    covered.push(...verifier.getSignedReferences());
  }
  if (covered.length === 0) throw new Error('the document holds no signature');
  return covered;
}
