// SAML service providers: the pages of registered ones, imported metadata, and IdP-initiated logins.
import { spMetadata } from '../saml/sp-metadata.ts';
import type { Exhibit } from './gallery.ts';
import { logIn, meanwhile, open, press, visit } from './steps.ts';
import { expenses, hostileName, payroll } from './world.ts';

const root = '/service-providers';
const about = (action: 'edit' | 'delete', entityId: string) =>
  `${root}/${action}?${new URLSearchParams({ entity_id: entityId })}`;

const unusable = spMetadata({
  entityId: 'https://broken.example',
  entityAttributes: ' validUntil="2020-01-01T00:00:00Z"',
  consumers: `    <md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="broken.example/acs" index="first"/>
    <md:AssertionConsumerService Binding="urn:example:pigeon" Location="https://broken.example/pigeon" index="1"/>\n`,
});

export const serviceProviderExhibits: readonly Exhibit[] = [
  open('service-providers', 'password', root),
  open('service-providers-nothing-found', 'password', `${root}?q=xyzzy`),
  open('service-providers-empty', 'empty', root),
  open('service-provider-new', 'password', `${root}/create`),
  open('service-provider-edit', 'password', about('edit', expenses)),
  open('service-provider-edit-metadata', 'password', about('edit', payroll)),
  open('service-provider-edit-hostile', 'password', about('edit', hostileName)),
  visit('service-provider-refused', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}${root}/create`);
    await page.getByLabel('Entity ID').fill('https://new.example');
    await page.getByLabel('Assertion consumer services').fill('new.example/acs');
    await page.getByLabel('Encrypted parts').fill('everything');
    await press(page, 'Create service provider');
  }),
  visit('service-provider-name-taken', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}${root}/create`);
    await page.getByLabel('Entity ID').fill(expenses);
    await press(page, 'Create service provider');
  }),
  visit('service-provider-conflict', 'password', async (page, idp) => {
    await page.goto(idp.baseUrl + about('edit', expenses));
    await page.getByLabel('Title').fill('Travel expenses');
    await meanwhile(idp, '/settings', { audience: `api-${Date.now()}` });
    await press(page, 'Save service provider');
  }),
  open('service-provider-delete', 'password', about('delete', expenses)),
  visit('service-provider-delete-conflict', 'password', async (page, idp) => {
    await page.goto(idp.baseUrl + about('delete', expenses));
    await meanwhile(idp, '/settings', { audience: `api-${Date.now()}` });
    await press(page, 'Delete service provider');
  }),
  open('metadata-import', 'password', `${root}/import`),
  visit('metadata-missing', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}${root}/import`);
    await press(page, 'Read metadata');
  }),
  visit('metadata-not-fetched', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}${root}/import`);
    await page.getByLabel('Or the address').fill('https://elsewhere.example/metadata');
    await press(page, 'Read metadata');
  }),
  visit('metadata-unusable', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}${root}/import`);
    await page.getByLabel('Metadata file').setInputFiles({
      name: 'metadata.xml',
      mimeType: 'text/xml',
      buffer: Buffer.from(unusable),
    });
    await press(page, 'Read metadata');
  }),
  visit('metadata-read', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}${root}/import`);
    await page
      .getByLabel('Or the XML text')
      .fill(spMetadata({ entityId: 'https://new.example', entityAttributes: ' validUntil="2020-01-01T00:00:00Z"' }));
    await press(page, 'Read metadata');
  }),
  open('applications-login', 'password', '/saml/idp-initiated'),
  visit('applications', 'password', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/saml/idp-initiated`);
    await logIn(page, 'alice', 'wonderland');
  }),
  visit('applications-none', 'gated', async (page, { baseUrl }) => {
    await page.goto(`${baseUrl}/saml/idp-initiated`);
    await logIn(page, 'alice', 'wonderland');
  }),
  open('application-login', 'password', `/saml/idp-initiated?${new URLSearchParams({ sp: expenses })}`),
  open('application-unknown', 'password', '/saml/idp-initiated?sp=nobody'),
];
