// One form with one outcome: the way to it, the message, the fields with errors, and the fields that keep their input.
import type { Page } from 'playwright-core';
import type { Gallery } from './gallery.ts';
import type { Room } from './world.ts';

type Outcome = 'success' | 'refusal' | 'conflict';

export interface FormRow {
  /** Method and route, such as `POST /users/:username/edit`. */
  readonly form: string;
  readonly outcome: Outcome;
  /** The exhibit that leads there, or the settings group in which `steps` do. */
  readonly reach: string | { readonly room: Room; readonly steps: (page: Page, gallery: Gallery) => Promise<unknown> };
  /** Words of the notice, or of the page if it has none. */
  readonly told: RegExp;
  /** Fields with an error message, by id. */
  readonly at?: readonly string[];
  /** Fields that keep their input, by id. */
  readonly kept?: Readonly<Record<string, string>>;
}

/** Separate steps from a page on. */
export const steps = (room: Room, path: string, then: (page: Page) => Promise<unknown>): FormRow['reach'] => ({
  room,
  steps: async (page, { idp }) => {
    await page.goto(idp.baseUrl + path);
    await then(page);
  },
});
