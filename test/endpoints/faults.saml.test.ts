// Every SAML fault (FLT-K139 to FLT-K203), set by REST. Each response differs from a correct one exactly as the catalogue
// says, according to xmldom. Its signature verifies with xml-crypto and xmlsec1 unless the fault is about the signature.
import { createHmac, verify as verifyOctets, X509Certificate } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { expect } from 'chai';
import { loggedIn } from '#test/support/authorization-flow.ts';
import type { BrowserClient, Page } from '#test/support/browser-client.ts';
import { faultOf, noFaults, setFault } from '#test/support/faults.ts';
import { attributeQuery, enveloped } from '#test/support/saml/attribute-query.ts';
import { factsOf, missingIn } from '#test/support/saml/document-facts.ts';
import { all, authnRequest, encodePost, namespaces, only, rootOf } from '#test/support/saml/service-provider.ts';
import { isRightForXmlsec, verifyWithXmlCrypto, verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml } from '#test/support/worlds.ts';

const { assertion, protocol, signature } = namespaces;
const acs = 'https://sp.example/acs';

const A = 'Response/Assertion';
const subject = `${A}/Subject`;
const confirmation = `${subject}/SubjectConfirmation`;
const data = `${confirmation}/SubjectConfirmationData`;
const attributes = `${A}/AttributeStatement/Attribute`;
const nameId = `${subject}/NameID=alice@example.org`;
const forged = 'admin@example.org';
const now = '2027-01-01T00:00:00Z';
const anHourAgo = '2026-12-31T23:00:00Z';
const inAnHour = '2027-01-01T01:00:00Z';
const inTwoHours = '2027-01-01T02:00:00Z';
const inFiveMinutes = '2027-01-01T00:05:00Z';

interface Answer {
  readonly page: Page;
  readonly fields: ReadonlyMap<string, string>;
  readonly xml: string;
  readonly relayState: string | undefined;
}

describe('SAML faults', () => {
  let idp: RunningIdp;
  let alice: BrowserClient;
  let pem: string;
  let certificate: string;
  let right: readonly string[];

  before(async () => {
    const users = { alice: { password: 'wonderland', email: 'alice@example.org', attributes: { team: 'red' } } };
    idp = await startIdp({ world: saml, users });
    // faults.saml.signed.test.ts is about two signatures (SRE-03).
    await idp.configure({ settings: { saml: { sign: 'assertion' } }, users });
    await idp.api('PUT', '/api/clock', { at: now, frozen: true });
    alice = await loggedIn(idp);
    pem = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
    certificate = pem.replace(/-----[A-Z ]+-----|\s/g, '');
    right = factsOf((await login()).xml, certificate);
  });
  after(() => idp.stop());
  afterEach(() => noFaults(idp));

  async function login(id = '_request', issuer = 'https://sp.example'): Promise<Answer> {
    const request = encodePost(authnRequest({ id, issuer, acs }));
    const page = await alice.post('/saml/sso', { SAMLRequest: request, RelayState: 'r' });
    const fields = new Map(page.forms.flatMap((form) => [...form.fields]));
    const xml = Buffer.from(fields.get('SAMLResponse') ?? '', 'base64').toString('utf8');
    return { page, fields, xml, relayState: fields.get('RelayState') };
  }

  async function faulty(fault: string, parameters: object = {}): Promise<Answer> {
    const set = await setFault(idp, fault, { parameters });
    const answer = await login();
    expect(answer.page.headers.get('x-test-idp-fault')).to.equal(fault);
    expect(await faultOf(idp, set)).to.include({ hits: 1, remaining: 0 });
    return answer;
  }

  /**
   * Returns what only the correct response has and what only this one has. Everything around the document must be
   * correct.
   */
  function difference({ page, xml, relayState }: Answer): { less: string[]; more: string[] } {
    expect(page.status).to.equal(200);
    expect(page.forms[0]?.action).to.equal(acs);
    expect(relayState).to.equal('r');
    const facts = factsOf(xml, certificate);
    return { less: missingIn(right, facts), more: missingIn(facts, right) };
  }

  /** Expects one signature, over the named element, that both verifiers accept. */
  async function signedRightly(xml: string, name: 'Assertion' | 'Response' = 'Assertion'): Promise<void> {
    const [covered, ...others] = verifyWithXmlCrypto(xml, pem);
    expect(others).to.deep.equal([]);
    expect(covered).to.match(new RegExp(`^<\\w+:${name} `));
    await verifyWithXmlsec(xml, pem);
  }

  async function signedWrongly(xml: string, certificatePem = pem): Promise<void> {
    expect(() => verifyWithXmlCrypto(xml, certificatePem)).to.throw();
    expect(await isRightForXmlsec(xml, certificatePem)).to.equal(false);
  }

  /** Expects a fault that keeps the signature valid. */
  const differs =
    (fault: string, less: readonly string[], more: readonly string[], parameters: object = {}) =>
    async () => {
      const answer = await faulty(fault, parameters);
      expect(difference(answer)).to.deep.equal({ less, more });
      // xmlsec1 runs only for unusual signatures, because a process per test would take more time than everything else.
      expect(verifyWithXmlCrypto(answer.xml, pem)).to.have.length(1);
    };

  const signatureFacts = (place: string) =>
    right.filter((fact) => fact.startsWith(`${A}/Signature`)).map((fact) => fact.replaceAll(A, place));

  describe('of signatures', () => {
    verifies('FLT-K139', 'saml_unsigned', async () => {
      const answer = await faulty('saml_unsigned');
      expect(difference(answer)).to.deep.equal({ less: signatureFacts(A), more: [] });
    });

    verifies('FLT-K140', 'saml_response_signed_only', async () => {
      const answer = await faulty('saml_response_signed_only');
      expect(difference(answer)).to.deep.equal({ less: signatureFacts(A), more: signatureFacts('Response') });
      await signedRightly(answer.xml, 'Response');
    });

    verifies('FLT-K141', 'saml_signature_on_other_element', async () => {
      const answer = await faulty('saml_signature_on_other_element');
      const { less, more } = difference(answer);
      expect(less).to.deep.equal(signatureFacts(A));
      expect(more).to.include('Response/Signature/SignedInfo/Reference@URI leads to Response/Extensions');
      expect(more.filter((fact) => !fact.startsWith('Response/Signature/'))).to.deep.equal([
        'Response/Extensions@ID=fresh',
        'Response/Extensions/Note=This alone is signed.',
      ]);
      expect(verifyWithXmlCrypto(answer.xml, pem)[0]).to.match(/^<saml2p:Extensions /);
      await verifyWithXmlsec(answer.xml, pem);
    });

    verifies('FLT-K142', 'saml_digest_tampered', async () => {
      const { xml, ...answer } = await faulty('saml_digest_tampered');
      expect(difference({ xml, ...answer })).to.deep.equal({ less: [], more: [] });
      await signedWrongly(xml);
      expect(valueVerifies(xml)).to.equal(true);
    });

    verifies('FLT-K143', 'saml_content_tampered', async () => {
      const answer = await faulty('saml_content_tampered', { name_id: 'root@example.org' });
      const more = [`${subject}/NameID=root@example.org`];
      expect(difference(answer)).to.deep.equal({ less: [nameId], more });
      await signedWrongly(answer.xml);
      await signedRightly(answer.xml.replace('root@example.org</', 'alice@example.org</'));
    });

    verifies('FLT-K144', 'saml_signature_tampered', async () => {
      const { xml, ...answer } = await faulty('saml_signature_tampered');
      expect(difference({ xml, ...answer })).to.deep.equal({ less: [], more: [] });
      await signedWrongly(xml);
      const octets = Buffer.from(only(rootOf(xml), signature, 'SignatureValue').textContent ?? '', 'base64');
      const signedInfo = Buffer.from(signedInfoOf(xml));
      const { publicKey } = new X509Certificate(pem);
      const repairs = octets.some((octet, at) =>
        [1, 2, 4, 8, 16, 32, 64, 128].some((bit) => {
          const repaired = Buffer.from(octets);
          repaired[at] = octet ^ bit;
          return verifyOctets('RSA-SHA256', signedInfo, publicKey, repaired);
        }),
      );
      expect(repairs, 'verifies after the bit is flipped back').to.equal(true);
    });

    const certificateIn = (xml: string) => {
      const text = only(rootOf(xml), signature, 'X509Certificate').textContent ?? '';
      return new X509Certificate(Buffer.from(text, 'base64')).toString();
    };
    const keyInfo = `${A}/Signature/KeyInfo/X509Data/X509Certificate`;

    verifies('FLT-K145', 'saml_key_unknown', async () => {
      const answer = await faulty('saml_key_unknown');
      expect(difference(answer)).to.deep.equal({ less: [`${keyInfo}=active`], more: [`${keyInfo}=other`] });
      await signedWrongly(answer.xml);
      expect(verifyWithXmlCrypto(answer.xml, certificateIn(answer.xml))).to.have.length(1);
      await verifyWithXmlsec(answer.xml, certificateIn(answer.xml));
    });

    verifies('FLT-K146', 'saml_key_unknown_bare', async () => {
      const answer = await faulty('saml_key_unknown_bare');
      expect(difference(answer)).to.deep.equal({ less: [`${keyInfo}=active`], more: [] });
      await signedWrongly(answer.xml);
    });

    verifies('FLT-K147', 'saml_keyinfo_wrong', async () => {
      const answer = await faulty('saml_keyinfo_wrong');
      expect(difference(answer)).to.deep.equal({ less: [`${keyInfo}=active`], more: [`${keyInfo}=other`] });
      await signedRightly(answer.xml);
      await signedWrongly(answer.xml, certificateIn(answer.xml));
    });

    const methodFact = (uri: string) => `${A}/Signature/SignedInfo/SignatureMethod@Algorithm=${uri}`;
    const digestFact = (uri: string) => `${A}/Signature/SignedInfo/Reference/DigestMethod@Algorithm=${uri}`;
    const rsaSha256 = methodFact('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256');

    verifies('FLT-K148', 'saml_sha1', async () => {
      const answer = await faulty('saml_sha1');
      expect(difference(answer)).to.deep.equal({
        less: [rsaSha256, digestFact('http://www.w3.org/2001/04/xmlenc#sha256')],
        more: [methodFact(`${signature}rsa-sha1`), digestFact(`${signature}sha1`)],
      });
      expect(verifyWithXmlCrypto(answer.xml, pem)).to.have.length(1);
    });

    verifies('FLT-K149', 'saml_hmac_public_key', async () => {
      const answer = await faulty('saml_hmac_public_key');
      const hmac = methodFact('http://www.w3.org/2001/04/xmldsig-more#hmac-sha256');
      expect(difference(answer)).to.deep.equal({ less: [rsaSha256], more: [hmac] });
      const value = only(rootOf(answer.xml), signature, 'SignatureValue').textContent;
      expect(value).to.equal(createHmac('sha256', pem).update(signedInfoOf(answer.xml)).digest('base64'));
    });

    verifies('FLT-K150', 'saml_xslt_transform', async () => {
      const answer = await faulty('saml_xslt_transform');
      const { less, more } = difference(answer);
      expect(less).to.deep.equal([]);
      const transform = `${A}/Signature/SignedInfo/Reference/Transforms/Transform`;
      expect(more[0]).to.equal(`${transform}@Algorithm=http://www.w3.org/TR/1999/REC-xslt-19991116`);
      for (const fact of more) expect(fact).to.contain(transform);
      expect(valueVerifies(answer.xml)).to.equal(true);
      expect(() => verifyWithXmlCrypto(answer.xml, pem)).to.throw();
      // A verifier that runs the stylesheet accepts the digest.
      await verifyWithXmlsec(answer.xml, pem);
    });

    /** Returns the SignedInfo in exclusive canonical form. It is sent in that form except for its namespaces. */
    function signedInfoOf(xml: string): string {
      const text = /<ds:SignedInfo>.*<\/ds:SignedInfo>/s.exec(xml)?.[0] ?? '';
      return text.replace('<ds:SignedInfo', `<ds:SignedInfo xmlns:ds="${signature}"`);
    }

    /** Verifies only the signature value, not the digest. */
    function valueVerifies(xml: string): boolean {
      const value = Buffer.from(only(rootOf(xml), signature, 'SignatureValue').textContent ?? '', 'base64');
      return verifyOctets('RSA-SHA256', Buffer.from(signedInfoOf(xml)), new X509Certificate(pem).publicKey, value);
    }
  });

  describe('of time, destination and request', () => {
    const conditions = `${A}/Conditions`;
    const ends = (when: string) => [`${conditions}@NotOnOrAfter=${when}`, `${data}@NotOnOrAfter=${when}`];
    const begins = (when: string) => `${conditions}@NotBefore=${when}`;

    verifies(
      'FLT-K151',
      'saml_expired',
      differs(
        'saml_expired',
        [ends(inFiveMinutes)[1] ?? '', begins(now), ends(inFiveMinutes)[0] ?? ''],
        [ends(anHourAgo)[1] ?? '', begins('2026-12-31T22:55:00Z'), ends(anHourAgo)[0] ?? ''],
      ),
    );
    verifies(
      'FLT-K152',
      'saml_not_yet_valid',
      differs(
        'saml_not_yet_valid',
        [ends(inFiveMinutes)[1] ?? '', begins(now), ends(inFiveMinutes)[0] ?? ''],
        [ends(inTwoHours)[1] ?? '', begins(inAnHour), ends(inTwoHours)[0] ?? ''],
      ),
    );
    verifies(
      'FLT-K153',
      'saml_confirmation_expired',
      differs(
        'saml_confirmation_expired',
        [`${data}@NotOnOrAfter=${inFiveMinutes}`],
        [`${data}@NotOnOrAfter=${anHourAgo}`],
      ),
    );
    verifies(
      'FLT-K154',
      'saml_not_on_or_after_missing',
      differs('saml_not_on_or_after_missing', [`${data}@NotOnOrAfter=${inFiveMinutes}`], []),
    );
    verifies(
      'FLT-K155',
      'saml_issue_instant_future',
      differs(
        'saml_issue_instant_future',
        [`Response@IssueInstant=${now}`, `${A}@IssueInstant=${now}`],
        [`Response@IssueInstant=${inAnHour}`, `${A}@IssueInstant=${inAnHour}`],
      ),
    );
    const audience = `${conditions}/AudienceRestriction/Audience`;
    verifies(
      'FLT-K156',
      'saml_audience_wrong',
      differs('saml_audience_wrong', [`${audience}=https://sp.example`], [`${audience}=https://someone-else.example`]),
    );
    verifies('FLT-K157', 'saml_audience_missing', async () => {
      const answer = await faulty('saml_audience_missing');
      expect(difference(answer)).to.deep.equal({ less: [`${audience}=https://sp.example`], more: [conditions] });
      await signedRightly(answer.xml);
    });
    verifies(
      'FLT-K158',
      'saml_recipient_wrong',
      differs(
        'saml_recipient_wrong',
        [`${data}@Recipient=${acs}`],
        [`${data}@Recipient=https://someone-else.example/acs`],
      ),
    );
    verifies('FLT-K159', 'saml_recipient_missing', differs('saml_recipient_missing', [`${data}@Recipient=${acs}`], []));
    verifies(
      'FLT-K160',
      'saml_destination_wrong',
      differs(
        'saml_destination_wrong',
        [`Response@Destination=${acs}`],
        ['Response@Destination=https://someone-else.example/acs'],
      ),
    );
    verifies(
      'FLT-K161',
      'saml_destination_missing',
      differs('saml_destination_missing', [`Response@Destination=${acs}`], []),
    );

    const own = () => `${idp.baseUrl}/saml`;
    verifies('FLT-K162', 'saml_issuer_wrong', () =>
      differs(
        'saml_issuer_wrong',
        [`Response/Issuer=${own()}`, `${A}/Issuer=${own()}`],
        ['Response/Issuer=https://attacker.example/saml', `${A}/Issuer=https://attacker.example/saml`],
      )(),
    );
    verifies('FLT-K163', 'saml_response_issuer_differs', () =>
      differs(
        'saml_response_issuer_differs',
        [`Response/Issuer=${own()}`],
        ['Response/Issuer=https://someone-else.example/saml'],
      )(),
    );
    const requests = ['Response@InResponseTo=_request', `${data}@InResponseTo=_request`];
    verifies('FLT-K164', 'saml_in_response_to_wrong', async () => {
      const answer = await faulty('saml_in_response_to_wrong');
      const more = requests.map((fact) => fact.replace('_request', 'fresh'));
      expect(difference(answer)).to.deep.equal({ less: requests, more });
      const [first, second] = [...answer.xml.matchAll(/InResponseTo="([^"]+)"/g)].map(([, id]) => id);
      expect(first).to.equal(second);
      await signedRightly(answer.xml);
    });
    verifies('FLT-K165', 'saml_in_response_to_missing', differs('saml_in_response_to_missing', requests, []));

    verifies('FLT-K166', 'saml_replayed', async () => {
      const sp = 'https://replayed.example';
      const set = await setFault(idp, 'saml_replayed');
      const first = await login('_first', sp);
      expect(first.page.headers.get('x-test-idp-fault')).to.equal(null);
      expect(await faultOf(idp, set)).to.include({ hits: 0, remaining: 1 });
      const second = await login('_second', sp);
      expect(second.page.headers.get('x-test-idp-fault')).to.equal('saml_replayed');
      expect(second.xml).to.equal(first.xml);
      expect((await login('_third', sp)).xml).to.contain('InResponseTo="_third"');
    });
  });

  describe('of the subject', () => {
    /** The path of each Assertion and its subject. */
    const assertions = (xml: string) =>
      factsOf(xml, certificate).flatMap((fact) => {
        const [, place, about] = /^(.*)\/Subject\/NameID=(.*)$/.exec(fact) ?? [];
        return place === undefined
          ? []
          : [`${place.replaceAll('Response', 'R').replaceAll('Assertion', 'A')} ${about}`];
      });
    const wrapped = (fault: string, expected: readonly string[]) => async () => {
      const answer = await faulty(fault);
      expect(assertions(answer.xml)).to.deep.equal(expected);
      expect(answer.relayState).to.equal('r');
      const covered = verifyWithXmlCrypto(answer.xml, pem);
      expect(covered).to.have.length(1);
      expect(covered[0]).to.contain('alice@example.org').and.to.not.contain(forged);
      expect(new Set(answer.xml.match(/ ID="[^"]+"/g)).size).to.equal(answer.xml.match(/ ID="/g)?.length);
    };
    const right = 'alice@example.org';

    verifies('FLT-K167', 'saml_xsw1', wrapped('saml_xsw1', [`R/Signature/R/A ${right}`, `R/A ${forged}`]));
    verifies('FLT-K168', 'saml_xsw2', wrapped('saml_xsw2', [`R/R/A ${right}`, `R/A ${forged}`]));
    verifies('FLT-K169', 'saml_xsw3', wrapped('saml_xsw3', [`R/A ${forged}`, `R/A ${right}`]));
    verifies('FLT-K170', 'saml_xsw4', wrapped('saml_xsw4', [`R/A ${forged}`, `R/A/A ${right}`]));
    verifies('FLT-K171', 'saml_xsw5', wrapped('saml_xsw5', [`R/A ${forged}`, `R/A ${right}`]));
    verifies('FLT-K172', 'saml_xsw6', wrapped('saml_xsw6', [`R/A/Signature/A ${right}`, `R/A ${forged}`]));
    verifies('FLT-K173', 'saml_xsw7', wrapped('saml_xsw7', [`R/Extensions/A ${forged}`, `R/A ${right}`]));
    verifies('FLT-K174', 'saml_xsw8', wrapped('saml_xsw8', [`R/A/Signature/Object/A ${right}`, `R/A ${forged}`]));
    verifies('FLT-K176', 'saml_two_assertions', wrapped('saml_two_assertions', [`R/A ${right}`, `R/A ${forged}`]));

    verifies('FLT-K175', 'saml_nameid_comment', async () => {
      const answer = await faulty('saml_nameid_comment');
      const more = [`${subject}/NameID=${forged}.attacker.example`];
      expect(difference(answer)).to.deep.equal({ less: [nameId], more });
      const { childNodes } = only(rootOf(answer.xml), assertion, 'NameID');
      expect([...childNodes].map(({ nodeType }) => nodeType)).to.deep.equal([3, 8, 3]);
      expect(childNodes[0]?.nodeValue).to.equal(forged);
      await signedRightly(answer.xml);
    });

    verifies(
      'FLT-K178',
      'saml_nameid_missing',
      differs(
        'saml_nameid_missing',
        [`${subject}/NameID@Format=urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified`, nameId],
        [],
      ),
    );
    verifies('FLT-K190', 'saml_nameid_changes', async () => {
      await setFault(idp, 'saml_nameid_changes', { times: 'always' });
      const answers = [await login(), await login()];
      const names = answers.map(({ xml }) => only(rootOf(xml), assertion, 'NameID').textContent);
      expect(new Set([...names, right]).size).to.equal(3);
      for (const answer of answers) {
        const { less, more } = difference(answer);
        expect([less, more.length]).to.deep.equal([[nameId], 1]);
        await signedRightly(answer.xml);
      }
    });
  });

  describe('of elements and text', () => {
    const starting = (place: string) => right.filter((fact) => fact.startsWith(place));

    verifies('FLT-K177', 'saml_authn_statement_missing', () =>
      differs('saml_authn_statement_missing', starting(`${A}/AuthnStatement`), [])(),
    );
    verifies('FLT-K179', 'saml_confirmation_missing', () =>
      differs('saml_confirmation_missing', starting(confirmation), [])(),
    );
    verifies(
      'FLT-K180',
      'saml_confirmation_method_wrong',
      differs(
        'saml_confirmation_method_wrong',
        [`${confirmation}@Method=urn:oasis:names:tc:SAML:2.0:cm:bearer`],
        [`${confirmation}@Method=urn:oasis:names:tc:SAML:2.0:cm:holder-of-key`],
      ),
    );
    verifies(
      'FLT-K181',
      'saml_version_wrong',
      differs('saml_version_wrong', ['Response@Version=2.0'], ['Response@Version=1.1']),
    );

    /** The document as a parser reads it that processes its DOCTYPE. */
    const expanded = (xml: string, external: ReadonlyMap<string, string> = new Map()) => {
      const declared = new Map(
        [...xml.matchAll(/<!ENTITY (\w+) (?:SYSTEM )?"([^"]*)">/g)].map(([, name = '', value = '']) => [
          name,
          external.get(value) ?? value,
        ]),
      );
      const replaced = (text: string): string =>
        text.replace(/&(\w+);/g, (whole, name) => {
          const value = declared.get(name);
          return value === undefined ? whole : replaced(value);
        });
      return replaced(xml.replace(/<!DOCTYPE [^[>]*(?:\[[^\]]*\])?>/, ''));
    };

    verifies('FLT-K182', 'saml_doctype', async () => {
      const answer = await faulty('saml_doctype');
      expect(difference(answer)).to.deep.equal({ less: [], more: [] });
      expect(answer.xml.match(/<![^>]*>/g)).to.deep.equal(['<!DOCTYPE saml2p:Response>']);
      await signedRightly(answer.xml);
    });

    verifies('FLT-K183', 'saml_entity_expansion', async () => {
      const { xml } = await faulty('saml_entity_expansion');
      expect(xml.length).to.be.lessThan(12_000);
      const whole = expanded(xml);
      const values = all(rootOf(whole), assertion, 'AttributeValue').map(({ textContent }) => textContent);
      expect(values.map((value) => value?.length)).to.deep.equal([1024 * 1024, 3]);
      const more = missingIn(factsOf(whole, certificate), right);
      expect(more.map((fact) => fact.slice(0, attributes.length))).to.deep.equal([attributes]);
      await signedRightly(whole);
    });

    verifies('FLT-K184', 'saml_external_entity', async () => {
      const set = await setFault(idp, 'saml_external_entity');
      const { xml, page } = await login();
      expect(page.headers.get('x-test-idp-fault')).to.equal('saml_external_entity');
      const address = /<!ENTITY \w+ SYSTEM "([^"]+)">/.exec(xml)?.[1] ?? '';
      expect(address).to.equal(`${idp.baseUrl}/api/faults/${set.id}/material`);
      const material = await fetch(address);
      expect(material.status).to.equal(200);
      const fetched = await material.text();
      expect(await faultOf(idp, set)).to.include({ fetches: 1 });
      const whole = expanded(xml, new Map([[address, fetched]]));
      const facts = factsOf(whole, certificate);
      const value = `${attributes}/AttributeValue`;
      expect(missingIn(right, facts)).to.deep.equal([`${value}=alice@example.org`]);
      expect(missingIn(facts, right)).to.deep.equal([`${value}=${fetched}`]);
      await signedRightly(whole);
    });

    const status = 'Response/Status/StatusCode';
    const code = 'urn:oasis:names:tc:SAML:2.0:status:';
    verifies('FLT-K185', 'saml_status_error', async () => {
      const answer = await faulty('saml_status_error');
      const { less, more } = difference(answer);
      expect(less).to.deep.equal([`${status}@Value=${code}Success`, status, ...starting(A)]);
      expect(more.filter((fact) => !fact.startsWith('Response/Signature'))).to.deep.equal([
        `${status}@Value=${code}Responder`,
        `${status}/StatusCode@Value=${code}AuthnFailed`,
        `${status}/StatusCode`,
      ]);
      await signedRightly(answer.xml, 'Response');
      const other = await faulty('saml_status_error', { status: 'Requester', second: 'RequestDenied' });
      expect(all(rootOf(other.xml), protocol, 'StatusCode').map((each) => each.getAttribute('Value'))).to.deep.equal([
        `${code}Requester`,
        `${code}RequestDenied`,
      ]);
    });
    verifies(
      'FLT-K186',
      'saml_status_error_with_assertion',
      differs(
        'saml_status_error_with_assertion',
        [`${status}@Value=${code}Success`, status],
        [`${status}@Value=${code}Responder`, `${status}/StatusCode@Value=${code}AuthnFailed`, `${status}/StatusCode`],
      ),
    );
  });

  describe('of transport', () => {
    const rightDocument = async (xml: string) => {
      expect(missingIn(right, factsOf(xml, certificate))).to.deep.equal([]);
      expect(missingIn(factsOf(xml, certificate), right)).to.deep.equal([]);
      await signedRightly(xml);
    };

    verifies('FLT-K187', 'saml_relay_state_missing', async () => {
      const { fields, xml } = await faulty('saml_relay_state_missing');
      expect(fields.has('RelayState')).to.equal(false);
      await rightDocument(xml);
    });
    verifies('FLT-K188', 'saml_relay_state_changed', async () => {
      const { relayState, xml } = await faulty('saml_relay_state_changed');
      expect(relayState).to.equal('https://attacker.example/');
      await rightDocument(xml);
    });
    verifies('FLT-K189', 'saml_wrong_binding', async () => {
      const { page } = await faulty('saml_wrong_binding');
      expect(page.status).to.equal(302);
      const address = new URL(page.location ?? '');
      expect(address.origin + address.pathname).to.equal(acs);
      expect([...address.searchParams.keys()]).to.deep.equal(['SAMLResponse', 'RelayState']);
      expect(address.searchParams.get('RelayState')).to.equal('r');
      const deflated = Buffer.from(address.searchParams.get('SAMLResponse') ?? '', 'base64');
      await rightDocument(inflateRawSync(deflated).toString('utf8'));
    });
    verifies('FLT-K198', 'saml_base64_wrapped', async () => {
      const { fields, xml } = await faulty('saml_base64_wrapped');
      const lines = (fields.get('SAMLResponse') ?? '').split('\r\n');
      expect(lines.length).to.be.greaterThan(10);
      expect(new Set(lines.slice(0, -1).map(({ length }) => length))).to.deep.equal(new Set([76]));
      expect(lines.at(-1)?.length).to.be.within(1, 76);
      await rightDocument(xml);
    });
    verifies('FLT-K199', 'saml_prefixes_changed', async () => {
      const answer = await faulty('saml_prefixes_changed');
      await rightDocument(answer.xml);
      const prefixes = new Set([...answer.xml.matchAll(/<(\w+):/g)].map(([, prefix]) => prefix));
      for (const usual of ['saml2p', 'saml2', 'ds']) expect([...prefixes]).to.not.include(usual);
      expect(prefixes.size).to.equal(3);
    });
  });

  verifies('FLT-17', 'do not fire for a Response that rejects the login', async () => {
    const set = await setFault(idp, 'saml_unsigned', { times: 'always' });
    const passive = authnRequest({ attributes: 'IsPassive="true" ForceAuthn="true"' });
    const page = await alice.post('/saml/sso', { SAMLRequest: encodePost(passive) });
    expect(page.status).to.equal(200);
    expect(page.headers.get('x-test-idp-fault')).to.equal(null);
    expect(await faultOf(idp, set)).to.include({ hits: 0 });
  });

  describe('of attributes', () => {
    const email = [`${attributes}@Name=email`, `${attributes}/AttributeValue=alice@example.org`];
    const team = [`${attributes}@Name=team`, `${attributes}/AttributeValue=red`];
    const value = `${attributes}/AttributeValue`;

    verifies('FLT-K191', 'saml_attributes_missing', differs('saml_attributes_missing', [...email, ...team], []));
    verifies('FLT-K192', 'saml_attribute_missing', differs('saml_attribute_missing', team, [], { name: 'team' }));
    verifies('FLT-K192', 'saml_attribute_missing without effect for an attribute that does not exist', async () => {
      const set = await setFault(idp, 'saml_attribute_missing', { parameters: { name: 'nowhere' } });
      expect((await login()).page.headers.get('x-test-idp-fault')).to.equal(null);
      expect(await faultOf(idp, set)).to.include({ hits: 0, remaining: 1 });
    });
    verifies('FLT-K193', 'saml_attribute_empty', differs('saml_attribute_empty', [email[1] ?? ''], [value]));
    verifies('FLT-K194', 'saml_attribute_many', async () => {
      const answer = await faulty('saml_attribute_many');
      const { less, more } = difference(answer);
      expect([less, more.length, new Set(more).size]).to.deep.equal([[], 999, 999]);
      for (const fact of more) expect(fact.startsWith(`${value}=`)).to.equal(true);
      await signedRightly(answer.xml);
    });
    verifies(
      'FLT-K195',
      'saml_attribute_nested',
      differs('saml_attribute_nested', [email[1] ?? ''], [`${value}/NameID=alice@example.org`]),
    );
    verifies('FLT-K196', 'saml_attribute_duplicated', async () => {
      const answer = await faulty('saml_attribute_duplicated');
      expect(difference(answer)).to.deep.equal({
        less: [],
        more: [email[0], `${value}=other-alice@example.org`],
      });
      const named = all(rootOf(answer.xml), assertion, 'Attribute').map((each) => each.getAttribute('Name'));
      expect(named).to.deep.equal(['email', 'email', 'team']);
      await signedRightly(answer.xml);
    });
    verifies('FLT-K197', 'saml_response_large', async () => {
      for (const parameters of [{}, { bytes: 100_000 }]) {
        const answer = await faulty('saml_response_large', parameters);
        expect(Buffer.byteLength(answer.xml)).to.equal('bytes' in parameters ? 100_000 : 1024 * 1024);
        const { less, more } = difference(answer);
        expect([less, more[0], more.length]).to.deep.equal([[], `${attributes}@Name=padding`, 2]);
        await signedRightly(answer.xml);
      }
    });
  });

  describe('of metadata and attribute queries', () => {
    const metadata = async () => {
      const answer = await fetch(`${idp.baseUrl}/saml/metadata`);
      return { fired: answer.headers.get('x-test-idp-fault'), text: await answer.text() };
    };
    verifies('FLT-K200', 'saml_metadata_expired', async () => {
      const { text: usual } = await metadata();
      await setFault(idp, 'saml_metadata_expired');
      const { fired, text } = await metadata();
      expect(fired).to.equal('saml_metadata_expired');
      expect(text).to.contain(` validUntil="${anHourAgo}"`);
      expect(text.replace(` validUntil="${anHourAgo}"`, '')).to.equal(usual);
    });
    verifies('FLT-K201', 'saml_metadata_other_certificate', async () => {
      const { text: usual } = await metadata();
      await setFault(idp, 'saml_metadata_other_certificate');
      const { text } = await metadata();
      const other = only(rootOf(text), signature, 'X509Certificate').textContent ?? '';
      expect(other).to.not.equal(certificate);
      expect(new X509Certificate(Buffer.from(other, 'base64')).subject).to.be.a('string');
      expect(text.replace(other, certificate)).to.equal(usual);
    });
    verifies('FLT-K201', 'keep the encryption certificate in saml_metadata_other_certificate', async () => {
      await idp.configure({ settings: { saml: { encryption_key: true } } });
      const certificates = async () =>
        all(rootOf((await metadata()).text), signature, 'X509Certificate').map(({ textContent }) => textContent);
      const [, forEncryption] = await certificates();
      await setFault(idp, 'saml_metadata_other_certificate');
      const [other, left] = await certificates();
      expect([other === certificate, left]).to.deep.equal([false, forEncryption]);
      await idp.configure();
    });

    const query = async () => {
      const body = enveloped(attributeQuery({ nameId: '<a:NameID>alice</a:NameID>' }));
      const answer = await fetch(`${idp.baseUrl}/saml/attribute-query`, {
        method: 'POST',
        headers: { 'Content-Type': 'text/xml' },
        body,
      });
      return { fired: answer.headers.get('x-test-idp-fault'), xml: await answer.text() };
    };
    verifies('FLT-K202', 'saml_query_unsigned', async () => {
      const usual = factsOf((await query()).xml, certificate);
      await setFault(idp, 'saml_query_unsigned');
      const { fired, xml } = await query();
      expect(fired).to.equal('saml_query_unsigned');
      const facts = factsOf(xml, certificate);
      expect(missingIn(facts, usual)).to.deep.equal([]);
      const less = missingIn(usual, facts);
      expect(less).to.not.have.length(0);
      for (const fact of less) expect(fact).to.match(/^Envelope\/Body\/Response\/Signature\//);
    });
    verifies('FLT-K203', 'saml_query_other_subject', async () => {
      const usual = factsOf((await query()).xml, certificate);
      await setFault(idp, 'saml_query_other_subject');
      const { fired, xml } = await query();
      expect(fired).to.equal('saml_query_other_subject');
      const facts = factsOf(xml, certificate);
      const place = 'Envelope/Body/Response/Assertion/Subject/NameID';
      expect(missingIn(usual, facts)).to.deep.equal([`${place}=alice`]);
      expect(missingIn(facts, usual)).to.deep.equal([`${place}=someone-else`]);
      await signedRightly(xml, 'Response');
    });
  });
});
