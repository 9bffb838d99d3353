// The document where several settings interact. Tests of the running program check the whole document.
import { expect } from 'chai';
import { discoveryDocument } from '#shared/model/oauth-rules/discovery-document.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { addresses } from '#test/support/endpoint-context.ts';
import { verifies } from '#test/support/verifies.ts';

const documentOf = (settings: object) => discoveryDocument(snapshotOf({ settings }), addresses);

describe('the discovery document', () => {
  verifies('DIS-08', 'lists amr only while TOTP is in effect, which is never in persona mode', () => {
    const listsAmr = (login: object) => (documentOf({ login }).claims_supported as readonly string[]).includes('amr');
    expect(listsAmr({ totp: true })).to.equal(true);
    expect(listsAmr({ totp: false })).to.equal(false);
    expect(listsAmr({ totp: true, mode: 'persona' })).to.equal(false);
  });

  verifies('DIS-07', 'lists the scopes of the vocabulary, and omits an empty list (RFC 8414 §3.2)', () => {
    expect(documentOf({ oauth: { scopes_supported: ['api'] } }).scopes_supported).to.deep.equal(['api']);
    expect(documentOf({ oauth: { scopes_supported: [] } })).not.to.have.property('scopes_supported');
  });

  verifies('DIS-05', 'announces metadata documents even without allowed hosts', () => {
    const oauth = { client_id_metadata_documents: { enabled: true, allowed_hosts: [] } };
    expect(documentOf({ oauth }).client_id_metadata_document_supported).to.equal(true);
    expect(documentOf({})).not.to.have.property('client_id_metadata_document_supported');
  });
});
