import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { userEntryModel, userFromEntry } from '#shared/model/configuration/user-entry.ts';
import { nameIdOf, persistentIdentifier, requestedFormat } from '#shared/model/saml-rules/name-id.ts';
import { freshIdentifier } from '#shared/protocol/saml/identifiers.ts';
import { documentMoment, samlInstant, samlInstantAfter } from '#shared/protocol/saml/instants.ts';

const key = Buffer.alloc(32, 7);
const sources = {
  entityId: 'urn:idp',
  spIssuer: 'urn:sp',
  persistentKey: async () => key,
  freshIdentifier: () => '_fresh',
};
const user = (entry: object) => userFromEntry('alice', userEntryModel.parse(entry));

describe('name identifiers', () => {
  it('have four formats, and unspecified if none is requested', () => {
    expect(requestedFormat(undefined)).to.equal('urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified');
    expect(requestedFormat('urn:oasis:names:tc:SAML:2.0:nameid-format:transient')).to.equal(
      'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
    );
    expect(requestedFormat('urn:oasis:names:tc:SAML:2.0:nameid-format:encrypted')).to.equal(undefined);
    expect(requestedFormat('urn:oasis:names:tc:SAML:2.0:nameid-format:unspecified')).to.equal(undefined);
  });

  it('are the e-mail address, or one derived from the username', async () => {
    const Format = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
    expect(await nameIdOf(user({ email: 'a@example.com' }), Format, sources)).to.deep.equal({
      value: 'a@example.com',
      Format,
    });
    expect((await nameIdOf(user({ email: '' }), Format, sources)).value).to.equal('alice@example.org');
    expect((await nameIdOf(user({}), Format, sources)).value).to.equal('alice@example.org');
  });

  it('depend only on key, user and provider if they are persistent', async () => {
    const Format = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
    const made = await nameIdOf(user({}), Format, sources);
    const value = '_011fe122f77ae717cbfa0a41a1e06e304d1345c6';
    expect(made).to.deep.equal({ value, Format, NameQualifier: 'urn:idp', SPNameQualifier: 'urn:sp' });
    expect(made.value).to.equal(persistentIdentifier(key, 'alice', 'urn:sp'));
    const others = [
      persistentIdentifier(Buffer.alloc(32, 8), 'alice', 'urn:sp'),
      persistentIdentifier(key, 'alic', 'eurn:sp'),
      persistentIdentifier(key, 'alice', 'urn:sp2'),
      persistentIdentifier(key, 'alice', undefined),
      persistentIdentifier(key, 'alice', ''),
    ];
    expect(new Set([made.value, ...others]).size).to.equal(6);
  });
});

describe('identifiers and instants', () => {
  it('consist of an underscore and 32 hexadecimal digits', () => {
    expect(freshIdentifier(systemRandomness)).to.match(/^_[0-9a-f]{32}$/);
    expect(freshIdentifier(systemRandomness)).to.not.equal(freshIdentifier(systemRandomness));
  });

  it('have whole seconds in UTC', () => {
    const moment = documentMoment(instant(Date.UTC(2026, 11, 31, 23, 59, 59, 999)));
    expect(samlInstant(moment)).to.equal('2026-12-31T23:59:59Z');
    expect(samlInstantAfter(moment, 1)).to.equal('2027-01-01T00:00:00Z');
  });
});
