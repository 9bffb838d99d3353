// Validates the metadata against the OASIS schema, which Debian's python3-pysaml2 includes with a validator, in every
// combination of settings that changes them.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { toolOrSkip } from '#test/support/debian-programs.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

/** Debian's own Python, which has the package. Another Python on the PATH would not. */
const python = '/usr/bin/python3';

/** Prints the errors of each document of a JSON list, or null. */
const script = `
import json, sys
from saml2.xml.schema import XMLSchemaError, schema_saml_metadata
def problem(text):
    try:
        schema_saml_metadata.validate(text)
    except XMLSchemaError as error:
        return str(error.reason)
with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([problem(text) for text in json.load(file)]))
`;

const variants = [
  { want_authn_requests_signed: true, sp_certificates: ['sp.crt'] },
  { single_logout: true },
  { encryption_key: true },
  { metadata_valid_hours: 24 },
  { metadata_cache_minutes: 90 },
  { metadata_next_key: true },
  { c14n_algorithm: 'c14n' },
  { idp_initiated: true },
] as const;

function* combinations(): Generator<object> {
  for (let chosen = 0; chosen < 2 ** variants.length; chosen += 1) {
    yield Object.assign({}, ...variants.filter((_, place) => (chosen >> place) % 2 === 1));
  }
}

describe('the SAML metadata', () => {
  verifies('SPM-32', 'are valid by the OASIS schema in every setting, even if signed', async function () {
    this.timeout(300_000);
    await promisify(execFile)(python, ['-c', 'import saml2.xml.schema']).catch(() =>
      toolOrSkip(this, 'pysaml2', 'python3-pysaml2'),
    );
    const idp = await startIdp({ settings: { login: { session: 'on' } } });
    try {
      const certificate = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
      writeFileSync(join(idp.configDirectory, 'sp.crt'), certificate);
      const asked: string[] = [];
      const documents: string[] = [];
      for (const saml of combinations()) {
        await idp.configure({ settings: { login: { session: 'on' }, saml } });
        for (const query of ['', '?signed=1']) {
          asked.push(`${JSON.stringify(saml)} ${query}`);
          documents.push(await (await fetch(`${idp.baseUrl}/saml/metadata${query}`)).text());
        }
      }
      expect(new Set(documents).size).to.be.greaterThan(documents.length / 4);
      const disordered =
        documents[0]?.replace(/(<md:NameIDFormat>.*?<\/md:NameIDFormat>)(.*)(<\/md:IDP)/s, '$2$1$3') ?? '';
      expect(disordered).to.not.equal(documents[0]);
      const file = join(idp.root, 'documents.json');
      writeFileSync(file, JSON.stringify([...documents, disordered]));
      const problems: (string | null)[] = JSON.parse((await promisify(execFile)(python, ['-c', script, file])).stdout);
      expect(problems.pop()).to.be.a('string');
      expect(problems).to.have.length(asked.length);
      expect(asked.filter((_, place) => problems[place] !== null)).to.deep.equal([]);
    } finally {
      await idp.stop();
    }
  });
});
