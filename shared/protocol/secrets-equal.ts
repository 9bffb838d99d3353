// Comparing a presented secret with the true one without telling, by the time it takes, where they differ or how long
// the true one is.
import { createHash, timingSafeEqual } from 'node:crypto';

export function secretsEqual(presented: string, expected: string): boolean {
  return timingSafeEqual(digest(presented), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
