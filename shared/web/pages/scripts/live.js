// Updates a part of the page while its switch is on and the tab is visible: requests the same page again and inserts
// its part. Elements that the user opened stay open. While only times change, every element stays in place.
const everyMilliseconds = 1500;

for (const holder of document.querySelectorAll('[data-live]')) {
  const part = document.getElementById(holder.getAttribute('data-live') ?? '');
  const button = holder.querySelector('button');
  if (part !== null && button !== null) offerLive(holder, button, part);
}

/**
 * @param {Element} holder
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} part
 */
function offerLive(holder, button, part) {
  /** @type {number | undefined} */
  let timer;
  holder.removeAttribute('hidden');
  button.addEventListener('click', () => {
    const on = timer === undefined;
    button.setAttribute('aria-pressed', String(on));
    if (!on) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    timer = setInterval(() => {
      if (!document.hidden) refresh(part).catch(() => undefined);
    }, everyMilliseconds);
    refresh(part).catch(() => undefined);
  });
  if (holder.hasAttribute('data-live-on')) button.click();
}

/** @param {HTMLElement} part */
async function refresh(part) {
  const answer = await fetch(location.href, { redirect: 'error' });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById(part.id);
  if (fresh === null) return;
  const opened = new Set([...part.querySelectorAll('details[open]')].map(({ id }) => id));
  for (const details of fresh.querySelectorAll('details')) details.open = opened.has(details.id);
  if (timeless(part) === timeless(fresh)) {
    const times = [...fresh.querySelectorAll('time')];
    for (const time of part.querySelectorAll('time')) time.replaceWith(times.shift() ?? time);
    return;
  }
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  part.replaceChildren(...fresh.children);
  if (focused !== null) likeness(focused)?.focus({ preventScroll: true });
}

/** The element that replaces one that is no longer on the page. @param {Element} gone @returns {HTMLElement | null} */
function likeness(gone) {
  const link = gone.getAttribute('href');
  if (link !== null) return document.querySelector(`a[href="${CSS.escape(link)}"]`);
  return document.getElementById(gone.closest('details')?.id ?? '')?.querySelector('summary') ?? null;
}

/** The content of the part without its times. @param {HTMLElement} part */
function timeless(part) {
  const copy = document.createElement('div');
  copy.append(...[...part.childNodes].map((node) => node.cloneNode(true)));
  for (const time of copy.querySelectorAll('time')) time.textContent = '';
  return copy.innerHTML;
}
