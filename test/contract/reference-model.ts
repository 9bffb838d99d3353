// A store as a few maps: what the real one must answer, without atomicity, files or locks. Small enough to be believed.
import type { Instant } from '#shared/clock.ts';

interface Living {
  readonly until: Instant;
}

export class ReferenceModel {
  now: Instant;
  readonly transactions = new Map<string, Living & { browser: string }>();
  readonly codes = new Map<string, Living & { family: string | undefined }>();
  readonly grants = new Map<string, Living & { state: 'pending' | 'approved' | 'denied' | 'used' }>();
  readonly spent = new Map<string, Living>();
  readonly families = new Map<string, Living & { withAccessTokens: boolean }>();
  readonly users = new Map<string, { state: 'free' | 'claimed' | 'written'; claim: string | undefined }>();
  readonly registrations = new Set<string>();
  epoch = 0;
  generation = 0;
  texts: string | undefined;
  /** Accepted from here on; objects written later wait for a greater one. */
  writtenAt = new Map<string, number>();
  superseded = false;
  readonly events: string[] = [];

  constructor(now: Instant) {
    this.now = now;
  }

  lives(entry: Living | undefined): boolean {
    return entry !== undefined && this.now < entry.until;
  }

  revoke(family: string, withAccessTokens: boolean, until: Instant): void {
    const before = this.families.get(family);
    const living = before !== undefined && before.until > until ? before.until : until;
    this.families.set(family, {
      until: living,
      withAccessTokens: withAccessTokens || before?.withAccessTokens === true,
    });
  }

  isRevoked(family: string): boolean {
    return this.lives(this.families.get(family));
  }
}
