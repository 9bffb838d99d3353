// Limits in messages, derived from the constants that enforce them.

const smallNumbers = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Such as `ten minutes`. Whole minutes only. */
export function minutesText(seconds: number): string {
  const minutes = seconds / 60;
  return `${smallNumbers[minutes] ?? minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
}

/** Such as `5 seconds`. Whole seconds only. */
export function secondsText(milliseconds: number): string {
  return `${milliseconds / 1000} seconds`;
}

/** Such as `8 KiB` or `16 MiB`. */
export function bytesText(bytes: number): string {
  const kibibytes = bytes / 1024;
  return kibibytes >= 1024 && kibibytes % 1024 === 0 ? `${kibibytes / 1024} MiB` : `${kibibytes} KiB`;
}
