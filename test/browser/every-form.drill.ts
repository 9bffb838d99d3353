// Every form with each of its outcomes in a real browser, with and without JavaScript: which message appears where, and
// that the input is kept. look-at-page.ts checks that no form is missing here.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { withFreshPage } from '#test/support/fresh-page.ts';
import { exhibits } from '#test/support/gallery/exhibits.ts';
import type { FormRow } from '#test/support/gallery/form-row.ts';
import { formKey, forms } from '#test/support/gallery/forms.ts';
import type { Gallery } from '#test/support/gallery/gallery.ts';
import { useGallery } from '#test/support/gallery/use-gallery.ts';
import type { Room } from '#test/support/gallery/world.ts';
import { verifies } from '#test/support/verifies.ts';

for (const javaScriptEnabled of [true, false]) {
  describe(`every form in every outcome ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
    const visit = useGallery();

    for (const row of forms) {
      verifies('WEB-29', `${row.form}: ${row.outcome} (${nameOf(row)}, ${row.told})`, async () => {
        const { browser, gallery } = visit();
        await gallery.enter(roomOf(row));
        await withFreshPage(browser, { javaScriptEnabled }, async (page) => {
          const sent = new Set<string>();
          page.on('request', (request) => {
            if (request.isNavigationRequest()) sent.add(formKey(request.method(), request.url()));
          });
          await reach(row, page, gallery);
          expect([...sent], 'what was sent').to.include(row.form);
          expect(await page.locator('body').innerText()).to.match(row.told);
          for (const id of row.at ?? []) await expectRefused(page, id);
          for (const [id, value] of Object.entries(row.kept ?? {})) {
            expect(await page.locator(`[id="${id}"]`).inputValue(), id).to.equal(value);
          }
        });
      });
    }
  });
}

function nameOf({ reach: way }: FormRow): string {
  return typeof way === 'string' ? way : 'as a separate step';
}

function roomOf({ reach: way }: FormRow): Room {
  return typeof way === 'string' ? exhibitOf(way).room : way.room;
}

async function reach({ reach: way }: FormRow, page: Page, gallery: Gallery): Promise<void> {
  await (typeof way === 'string' ? exhibitOf(way).visit(page, gallery.idp) : way.steps(page, gallery));
}

function exhibitOf(name: string) {
  const found = exhibits.find((exhibit) => exhibit.name === name);
  if (found === undefined) throw new Error(`the gallery has no exhibit ${name}`);
  return found;
}

/** The message is next to the field, marked and linked to it. */
async function expectRefused(page: Page, id: string): Promise<void> {
  const field = page.locator(`[id="${id}"]`);
  expect(await field.getAttribute('aria-invalid'), id).to.equal('true');
  expect((await field.getAttribute('aria-describedby'))?.split(' '), id).to.include(`${id}-error`);
  expect(await page.locator(`[id="${id}-error"]`).innerText(), id).not.to.equal('');
}
