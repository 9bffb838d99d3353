// Numbers as people read them.
const grouped = new Intl.NumberFormat('en');

/** `10,000`. */
export function countText(count: number): string {
  return grouped.format(count);
}

/** `1 user`, `10,000 users`. */
export function counted(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}
