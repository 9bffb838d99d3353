// One form with one outcome: how to reach it, the message, the fields with an error, and the fields that keep their text.
import type { Page } from 'playwright-core';
import type { Gallery } from './gallery.ts';
import type { Room } from './world.ts';

type Outcome = 'success' | 'refusal' | 'conflict';

export interface FormRow {
  /** Method and route, such as `POST /users/:username/edit`. */
  readonly form: string;
  readonly outcome: Outcome;
  /** The exhibit that leads there, or the settings group with its `steps`. */
  readonly reach: string | { readonly room: Room; readonly steps: (page: Page, gallery: Gallery) => Promise<unknown> };
  /** Text of the notice, or of the page if it has none. */
  readonly told: RegExp;
  /** Ids of fields that show an error. */
  readonly at?: readonly string[];
  /** Ids of fields that keep the typed text. */
  readonly kept?: Readonly<Record<string, string>>;
}

/** A custom way that starts at a page. */
export const steps = (room: Room, path: string, then: (page: Page) => Promise<unknown>): FormRow['reach'] => ({
  room,
  steps: async (page, { idp }) => {
    await page.goto(idp.baseUrl + path);
    await then(page);
  },
});
