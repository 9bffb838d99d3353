// Compares the catalogue of faults with the contract and the tests. Each row needs a clause, and each clause a test
// that cites it.
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { withFaults } from '#build/documents/faults.ts';
import { everyFault, faultCatalogue, furtherFaults } from '#shared/engine/faults/catalogue/index.ts';
import { correctClients } from '#shared/engine/faults/fault-row.ts';
import { requirements as furtherRequirements } from '#test/requirements/fls.ts';
import { requirements } from '#test/requirements/flt.ts';
import { readCitations } from '#test/requirements/read-citations.ts';
import { verifies } from '#test/support/verifies.ts';

const root = new URL('../', import.meta.url);

function testSources() {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));
}

/** The names in the contract, in its order. */
const names = `
delay hang reset_connection status unavailable too_many_requests truncated_body malformed_json
wrong_content_type empty_body html_error_page redirect_answer slow_drip wrong_content_length huge_body
broken_gzip cacheable_answer duplicate_members oauth_error oauth_error_with_200 nonstandard_error error_as_form
state_missing state_wrong state_duplicated iss_missing iss_wrong iss_normalized mix_up code_missing
code_and_error code_wrong code_duplicated code_injected response_in_fragment response_extra_parameters
token_expired token_not_yet_valid token_iat_future token_issuer_wrong token_issuer_slash token_issuer_missing
token_audience_wrong token_audience_missing token_audience_untrusted token_azp_wrong token_azp_missing
nonce_wrong nonce_missing subject_missing subject_changed subject_not_text expiry_missing expiry_text
iat_missing at_hash_wrong at_hash_missing auth_time_missing auth_time_old claims_odd_types
token_duplicate_members token_large token_not_jwt alg_none alg_none_mixed_case alg_hs256_public_key
alg_hs256_client_secret alg_other_rsa signature_missing signature_tampered payload_tampered key_unknown
key_unknown_same_kid kid_missing kid_wrong kid_hostile token_header_jwk token_header_jku token_header_x5u
token_header_x5c token_header_crit token_header_typ id_token_missing id_token_swapped access_token_missing
token_type_case token_type_missing token_type_unknown expires_in_missing expires_in_text expires_in_negative
expires_in_zero scope_reduced scope_missing token_extra_members refresh_token_missing refresh_reply_lost
refresh_not_rotated refresh_token_omitted refresh_revoked refresh_subject_changed refresh_issuer_changed
key_rotated_before_signing discovery_issuer_mismatch discovery_issuer_slash discovery_member_missing
discovery_foreign_endpoints discovery_no_pkce discovery_lists_none jwks_empty jwks_published_late
jwks_published_early jwks_same_kid_other_key jwks_duplicate_kid jwks_unknown_type_first jwks_wrong_use
jwks_wrong_alg jwks_cached_long userinfo_subject_mismatch userinfo_subject_missing userinfo_claims_missing
userinfo_odd_types userinfo_signed userinfo_unauthorized introspection_inactive introspection_text
introspection_bare device_slow_down device_expired device_denied device_interval_missing
device_complete_uri_missing device_user_code_reused registration_secret_missing registration_redirects_changed
logout_no_redirect logout_state_wrong logout_state_missing saml_unsigned saml_response_signed_only
saml_signature_on_other_element saml_digest_tampered saml_content_tampered saml_signature_tampered
saml_key_unknown saml_key_unknown_bare saml_keyinfo_wrong saml_sha1 saml_hmac_public_key saml_xslt_transform
saml_expired saml_not_yet_valid saml_confirmation_expired saml_not_on_or_after_missing saml_issue_instant_future
saml_audience_wrong saml_audience_missing saml_recipient_wrong saml_recipient_missing saml_destination_wrong
saml_destination_missing saml_issuer_wrong saml_response_issuer_differs saml_in_response_to_wrong
saml_in_response_to_missing saml_replayed saml_xsw1 saml_xsw2 saml_xsw3 saml_xsw4 saml_xsw5 saml_xsw6 saml_xsw7
saml_xsw8 saml_nameid_comment saml_two_assertions saml_authn_statement_missing saml_nameid_missing
saml_confirmation_missing saml_confirmation_method_wrong saml_version_wrong saml_doctype saml_entity_expansion
saml_external_entity saml_status_error saml_status_error_with_assertion saml_relay_state_missing
saml_relay_state_changed saml_wrong_binding saml_nameid_changes saml_attributes_missing saml_attribute_missing
saml_attribute_empty saml_attribute_many saml_attribute_nested saml_attribute_duplicated saml_response_large
saml_base64_wrapped saml_prefixes_changed saml_metadata_expired saml_metadata_other_certificate
saml_query_unsigned saml_query_other_subject
`
  .trim()
  .split(/\s+/);

describe('the catalogue of faults', () => {
  verifies('FLT-37', 'has exactly the rows of the contract', () => {
    expect(names).to.have.length(203);
    expect(faultCatalogue.map(({ name }) => name)).to.deep.equal(names);
  });

  it('has a clause with the name of each row, and a test that cites it', () => {
    const cited = new Set(readCitations(testSources()).citations.map(({ id }) => id));
    const wrong = everyFault.filter(({ id, name }) => {
      const clause = [...requirements, ...furtherRequirements].find((each) => each.id === id);
      return clause === undefined || !clause.says.startsWith(`${name}:`) || clause.pending === true || !cited.has(id);
    });
    expect(wrong.map(({ id, name }) => `${id} ${name}`)).to.deep.equal([]);
  });

  it('has unique ids and names, in the order of the contract', () => {
    for (const rows of [faultCatalogue, furtherFaults]) {
      const ids = rows.map(({ id }) => id);
      expect(ids).to.deep.equal([...new Set(ids)].sort());
    }
    const names = everyFault.map(({ name }) => name);
    expect(names).to.have.length(new Set(names).size);
    for (const name of names) expect(name).to.match(/^[a-z0-9]+(_[a-z0-9]+)*$/);
  });

  it('is listed in docs/faults.md, or else needs npm run docs', () => {
    const text = readFileSync(new URL('../docs/faults.md', root), 'utf8');
    expect(text).to.equal(withFaults(text));
  });

  it('describes each row and parameter, and does what its phase says', () => {
    for (const row of everyFault) {
      const { hookPoint } = row.transform({});
      // The response to a device poll can be changed in either phase.
      const phase = hookPoint === 'answer' || hookPoint === 'refusal' ? 'before' : 'after';
      if (hookPoint !== 'device_grant') expect(row.phase, row.name).to.equal(phase);
      expect(correctClients).to.include(row.client);
      expect([row.effect, row.source].join()).to.match(/\S.*\S/);
      for (const [name, parameter] of Object.entries(row.parameters.shape)) {
        expect(Reflect.get(parameter, 'description'), `${row.name}.${name}`).to.match(/\.$/);
      }
    }
  });
});
