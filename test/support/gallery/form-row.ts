// One form in one outcome: the way there, what is told, at which fields, and what must still be typed there.
import type { Page } from 'playwright-core';
import type { Gallery } from './gallery.ts';
import type { Room } from './world.ts';

type Outcome = 'success' | 'refusal' | 'conflict';

export interface FormRow {
  /** Method and route, such as `POST /users/:username/edit`. */
  readonly form: string;
  readonly outcome: Outcome;
  /** The exhibit that leads there, or the room in which `steps` do. */
  readonly reach: string | { readonly room: Room; readonly steps: (page: Page, gallery: Gallery) => Promise<unknown> };
  /** Words of the notice, or of the page when it has none. */
  readonly told: RegExp;
  /** Fields whose refusal stands at them, by id. */
  readonly at?: readonly string[];
  /** Fields that still hold what was typed, by id. */
  readonly kept?: Readonly<Record<string, string>>;
}

/** An own way from a page on. */
export const steps = (room: Room, path: string, then: (page: Page) => Promise<unknown>): FormRow['reach'] => ({
  room,
  steps: async (page, { idp }) => {
    await page.goto(idp.baseUrl + path);
    await then(page);
  },
});
