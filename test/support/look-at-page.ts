// What a page in a real browser looks like: accessible by axe in both colour schemes, without sideways scrolling at 360 px,
// with all fields labelled, following the colour scheme, usable by keyboard with the focus always in sight, and with
// hostile, endless and right-to-left names on it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { withFreshPage } from './fresh-page.ts';
import { formKey, forms } from './gallery/forms.ts';
import type { Exhibit, Gallery } from './gallery/gallery.ts';
import { startOfPage } from './gallery/steps.ts';
import type { Visit } from './gallery/use-gallery.ts';
import { hostileName, longText } from './gallery/world.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

const views = [
  { colorScheme: 'light', width: 1280, height: 860 },
  { colorScheme: 'dark', width: 360, height: 740 },
] as const;
const wideScreen = { width: 1920, height: 1080 };
/** A scroll bar, and what is left of a division. */
const asideMax = 24;
/** Pages with more stops are walked to here. */
const stopsMax = 45;

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string }[];
}

/** What the page looks like from inside. */
interface Looks {
  readonly ground: string;
  readonly overflow: number;
  readonly unlabelled: readonly string[];
  readonly headings: number;
  /** Links in rows of a list that a finger would miss: one of them deletes. */
  readonly small: readonly string[];
  readonly disordered: readonly string[];
  /** Text that sticks out of the card it stands in. */
  readonly outside: readonly string[];
  readonly title: string;
}

interface Look {
  /** In words; none is the good answer. */
  readonly problems: readonly string[];
  /** Where the exhibit is. */
  readonly address: string;
}

export async function lookAtPage({ browser, gallery }: Visit, exhibit: Exhibit): Promise<Look> {
  await gallery.enter(exhibit.room);
  const options = {
    // axe runs as an evaluated script: the page's own policy stays in force for everything the page brings.
    bypassCSP: false,
    javaScriptEnabled: exhibit.withoutScript !== true,
    // Colours in the middle of a transition are nobody's choice.
    reducedMotion: 'reduce',
    forcedColors: exhibit.only === 'forced-colors' ? 'active' : 'none',
  } as const;
  return withFreshPage(browser, options, (page) => look(page, exhibit, gallery));
}

async function look(page: Page, exhibit: Exhibit, gallery: Gallery): Promise<Look> {
  const problems: string[] = [];
  page.on('dialog', (dialog) => {
    problems.push(`says in a dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) problems.push(message.text());
  });
  await exhibit.visit(page, gallery.idp);
  const grounds = new Set<string>();
  for (const { colorScheme, width, height } of views) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    const looks = await inside(page);
    grounds.add(looks.ground);
    const found = [
      ...problemsOf(looks, width),
      ...(exhibit.withoutScript === true ? [] : await axe(page, exhibit.only === 'forced-colors')),
    ];
    problems.push(...found.map((problem) => `(${colorScheme}) ${problem}`));
  }
  // A client's own background is the same by day and by night, and forced colours know no schemes.
  if (grounds.size !== 2 && exhibit.keepsScheme !== true && exhibit.only !== 'forced-colors') {
    problems.push('looks the same in both schemes');
  }
  problems.push(...(await onWideScreen(page)));
  if (exhibit.withoutScript !== true) problems.push(...(await walk(page)));
  problems.push(...(await formsWithoutRow(page, gallery)));
  return { problems, address: page.url() };
}

function problemsOf(
  { overflow, headings, small, unlabelled, disordered, outside, title }: Looks,
  width: number,
): readonly string[] {
  return [
    ...(overflow > 0 ? [`scrolls ${overflow} px sideways at ${width} px`] : []),
    ...(headings === 1 ? [] : [`has ${headings} headings of the first level`]),
    ...small.map((link) => `is hard to hit on a phone: ${link}`),
    ...unlabelled.map((field) => `has no label for ${field}`),
    ...disordered.map((element) => `has a tab order of its own at ${element}`),
    ...outside.map((element) => `has text beyond its card at ${width} px: ${element}`),
    // The history of a browser must not tell who was looked at.
    ...([hostileName, longText.slice(0, 40), 'alice'].some((name) => title.includes(name))
      ? ['names in its title']
      : []),
  ];
}

/** Forms that lead to another server are that server's. */
async function formsWithoutRow(page: Page, { idp }: Gallery): Promise<readonly string[]> {
  const sent = await page.evaluate(() =>
    [...document.querySelectorAll('form')].flatMap((form) => {
      const method = form.getAttribute('method') ?? 'get';
      const buttons = [...form.querySelectorAll('[formaction]')].map(
        (button) => button.getAttribute('formaction') ?? '',
      );
      return [form.getAttribute('action') ?? '', ...buttons].map((action) => ({
        method,
        address: new URL(action, document.baseURI).href,
      }));
    }),
  );
  const tried = new Set(forms.map(({ form }) => form));
  return sent
    .filter(({ address }) => new URL(address).origin === idp.baseUrl)
    .map(({ method, address }) => formKey(method, address))
    .filter((form) => !tried.has(form))
    .map((form) => `has a form that the gallery's forms do not know: ${form}`);
}

function inside(page: Page): Promise<Looks> {
  return page.evaluate(() => ({
    ground: getComputedStyle(document.body).backgroundColor,
    overflow: document.documentElement.scrollWidth - window.innerWidth,
    headings: document.querySelectorAll('h1').length,
    small: [...document.querySelectorAll('.cell-actions a')].flatMap((link) =>
      window.innerWidth > 700 || link.getBoundingClientRect().height >= 32 ? [] : [link.outerHTML],
    ),
    unlabelled: [
      ...document.querySelectorAll<HTMLInputElement>('input:not([type=hidden], [hidden]), select, textarea'),
    ].flatMap((field) => ((field.labels?.length ?? 0) > 0 ? [] : [field.outerHTML])),
    disordered: [...document.querySelectorAll<HTMLElement>('[tabindex]')].flatMap((element) =>
      element.tabIndex > 0 ? [element.outerHTML.slice(0, 200)] : [],
    ),
    // Without named functions: what runs the tests names them by a helper that no page has.
    outside: [...document.querySelectorAll('.card')].flatMap((card) => {
      const edge = card.getBoundingClientRect().right;
      return [...card.querySelectorAll('*')].flatMap((element) => {
        const { right, width } = element.getBoundingClientRect();
        const isText = [...element.childNodes].some(({ nodeType }) => nodeType === Node.TEXT_NODE);
        if (!isText || width <= 1 || right <= edge + 1) return [];
        for (let around: Element | null = element; around !== null && around !== card; around = around.parentElement) {
          if (getComputedStyle(around).overflowX !== 'visible') return [];
        }
        return [element.outerHTML.slice(0, 160)];
      });
    }),
    title: document.title,
  }));
}

async function onWideScreen(page: Page): Promise<readonly string[]> {
  const before = page.viewportSize();
  await page.setViewportSize(wideScreen);
  const { aside, rewritten } = await page.evaluate(() => {
    const main = document.querySelector('main');
    // The middle is that of what a column beside it leaves.
    const column = document.querySelector('.shell-side, .layout-horizontal .client-header');
    const beside = column?.getBoundingClientRect().right ?? 0;
    const box = main?.getBoundingClientRect();
    const { paddingLeft, paddingRight } = getComputedStyle(main ?? document.body);
    const left = (box?.left ?? 0) + Number.parseFloat(paddingLeft) - beside;
    const right = document.documentElement.clientWidth - (box?.right ?? 0) + Number.parseFloat(paddingRight);
    return {
      aside: Math.round(left - right),
      // `exp` and `redirect_uri` are names, whatever a sentence begins with.
      rewritten: [...document.querySelectorAll('main *')].flatMap((element) =>
        getComputedStyle(element, '::first-letter').textTransform === 'none' ? [] : [element.outerHTML.slice(0, 160)],
      ),
    };
  });
  if (before !== null) await page.setViewportSize(before);
  return [
    ...(Math.abs(aside) > asideMax ? [`stands ${aside} px beside the middle at ${wideScreen.width} px`] : []),
    ...rewritten.map((element) => `writes its letters otherwise: ${element}`),
  ];
}

/** Forced colours are the system's: their contrast is not the page's business. */
async function axe(page: Page, forcedColors: boolean): Promise<readonly string[]> {
  // Its text is half a megabyte, and stays on the page.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(axeSource);
  const rules = { 'color-contrast': { enabled: !forcedColors }, 'target-size': { enabled: true } };
  const options = { resultTypes: ['violations'], rules };
  const report = await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`);
  return (report as { violations: Finding[] }).violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`,
  );
}

/** From stop to stop by Tab, beginning with the skip link: each is marked, in sight and covered by nothing. */
async function walk(page: Page): Promise<readonly string[]> {
  await startOfPage(page);
  const problems: string[] = [];
  for (let stop = 0; stop < stopsMax; stop += 1) {
    await page.keyboard.press('Tab');
    const found = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body || element === document.documentElement) return undefined;
      const marked = [element, element.closest('.figure')].some((one) => {
        if (one === null) return false;
        const { boxShadow, outlineStyle } = getComputedStyle(one);
        return (
          boxShadow !== 'none' || (outlineStyle !== 'none' && window.matchMedia('(forced-colors: active)').matches)
        );
      });
      const box = element.getBoundingClientRect();
      const inSight = box.width > 1 && box.height > 1 && box.bottom > 0 && box.top < window.innerHeight;
      // The first line of a wrapped link: the middle of its box belongs to its neighbours.
      const line = element.getClientRects()[0] ?? box;
      // Of a tall field the head, where one writes first: its end may lie behind the buttons that stay in sight.
      const top = document.elementFromPoint(line.left + line.width / 2, line.top + Math.min(line.height / 2, 48));
      const covered = top !== null && !element.contains(top) && !top.contains(element);
      const skips = element.classList.contains('skip-link');
      return { name: element.outerHTML.slice(0, 160), marked, inSight, covered, skips };
    });
    if (found === undefined) break;
    if (stop === 0 && !found.skips) problems.push(`begins with ${found.name} instead of the skip link`);
    if (!found.marked) problems.push(`does not mark the focus at ${found.name}`);
    if (!found.inSight) problems.push(`has the focus out of sight at ${found.name}`);
    else if (found.covered) problems.push(`covers the focus at ${found.name}`);
  }
  return problems;
}
