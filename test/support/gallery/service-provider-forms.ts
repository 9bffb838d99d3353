// The forms of SAML service providers, in every outcome.
import { type FormRow, steps } from './form-row.ts';
import { answerForTheClient, logIn, press } from './steps.ts';

const root = '/service-providers';

export const serviceProviderForms: readonly FormRow[] = [
  {
    form: 'POST /service-providers/create',
    outcome: 'success',
    reach: steps('password', `${root}/create`, async (page) => {
      await page.getByLabel('Entity ID').fill(`urn:made:${Date.now()}`);
      await press(page, 'Create service provider');
    }),
    told: /The service provider urn:made:\d+ was created/,
  },
  {
    form: 'POST /service-providers/create',
    outcome: 'refusal',
    reach: 'service-provider-refused',
    told: /2 fields need different values/,
    at: ['acs', 'encrypt'],
    kept: { entity_id: 'https://new.example', acs: 'new.example/acs', encrypt: 'everything' },
  },
  {
    form: 'POST /service-providers/create',
    outcome: 'conflict',
    reach: 'service-provider-name-taken',
    told: /Nothing was written/,
    at: ['entity_id'],
  },
  {
    form: 'POST /service-providers/edit',
    outcome: 'success',
    reach: steps('password', `${root}/edit?entity_id=https://plain.example`, async (page) => {
      await page.getByLabel('Title').fill('Plain');
      await press(page, 'Save service provider');
    }),
    told: /The service provider https:\/\/plain\.example was saved/,
  },
  {
    form: 'POST /service-providers/edit',
    outcome: 'refusal',
    reach: steps('password', `${root}/edit?entity_id=https://plain.example`, async (page) => {
      await page.getByLabel('Metadata file').fill('nowhere.xml');
      await page.getByLabel('Title').fill('Kept');
      await press(page, 'Save service provider');
    }),
    told: /One field needs a different value/,
    at: ['metadata_file'],
    kept: { title: 'Kept', metadata_file: 'nowhere.xml' },
  },
  {
    form: 'POST /service-providers/edit',
    outcome: 'conflict',
    reach: 'service-provider-conflict',
    told: /settings\.yaml changed in the meantime/,
    kept: { title: 'Travel expenses' },
  },
  {
    form: 'POST /service-providers/delete',
    outcome: 'success',
    reach: steps('password', `${root}/delete?entity_id=https://passing.example`, (page) =>
      press(page, 'Delete service provider'),
    ),
    told: /The service provider https:\/\/passing\.example was deleted/,
  },
  {
    form: 'POST /service-providers/delete',
    outcome: 'conflict',
    reach: 'service-provider-delete-conflict',
    told: /settings\.yaml changed in the meantime/,
  },
  { form: 'POST /service-providers/import', outcome: 'success', reach: 'metadata-read', told: /1 warning/ },
  {
    form: 'POST /service-providers/import',
    outcome: 'refusal',
    reach: 'metadata-unusable',
    told: /This metadata does not describe a usable service provider/,
  },
  {
    form: 'POST /service-providers/import',
    outcome: 'refusal',
    reach: 'metadata-missing',
    told: /Choose a file/,
    at: ['metadata'],
  },
  {
    form: 'GET /service-providers',
    outcome: 'success',
    reach: steps('password', root, async (page) => {
      await page.getByLabel('Search service providers').fill('payroll');
      await press(page, 'Search');
    }),
    told: /Payroll/,
  },
  {
    form: 'GET /service-providers',
    outcome: 'refusal',
    reach: 'service-providers-nothing-found',
    told: /No matching service providers/,
    kept: { q: 'xyzzy' },
  },
  // IdP-initiated logins
  { form: 'POST /saml/idp-initiated', outcome: 'success', reach: 'applications', told: /Choose an application/ },
  {
    form: 'POST /saml/idp-initiated',
    outcome: 'refusal',
    reach: steps('password', '/saml/idp-initiated', (page) => logIn(page, 'alice', 'Wonderland')),
    told: /is wrong/,
    kept: { username: 'alice' },
  },
  {
    form: 'GET /saml/idp-initiated',
    outcome: 'success',
    reach: {
      room: 'password',
      steps: async (page, { idp }) => {
        const answered = await answerForTheClient(page, idp.baseUrl);
        await page.goto(`${idp.baseUrl}/saml/idp-initiated`);
        await logIn(page, 'alice', 'wonderland');
        await page.getByRole('button', { name: 'Expenses' }).click();
        const go = page.getByRole('button', { name: 'Continue' });
        await Promise.race([answered(), go.click().then(answered)]);
      },
    },
    told: /back at the client/,
  },
];
