// Numbers as people read them.
const grouped = new Intl.NumberFormat('en');

/** `10,000`. */
export function countText(count: number): string {
  return grouped.format(count);
}
