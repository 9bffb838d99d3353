// A store made of a few maps: it defines what the real one must return, without atomicity, files or locks. It is small
// enough to be checked by reading.
import { type Instant, plusSeconds } from '#shared/base/clock.ts';

interface Living {
  readonly until: Instant;
}

export interface ModelIdentity {
  readonly kind: 'user' | 'client';
  readonly name: string;
  readonly state: 'free' | 'claimed' | 'written';
  readonly claim?: string | undefined;
  /** The hash of a registration's access token. */
  readonly hash?: string | undefined;
  /** `written`: only a load of a later generation decides. */
  readonly writtenAt?: number;
}

interface ModelGrant extends Living {
  readonly state: 'pending' | 'approved' | 'denied' | 'used';
  readonly intervalSeconds: number;
  readonly lastPollAt?: Instant;
}

export interface ModelFault {
  readonly origin: 'runtime' | 'declared';
  readonly remaining: number | null;
  readonly hits: number;
  readonly met: number;
  readonly fetches: number;
}

export interface ModelSession extends Living {
  readonly username: string;
  readonly cookie: string;
  readonly idleUntil: Instant;
  /** Increases with every use. */
  readonly used: number;
  readonly clients: ReadonlyMap<string, { readonly used: number; readonly joined: boolean }>;
}

export interface ModelExchange {
  readonly name: string;
  /** The name of the exchange that began it. */
  readonly flow: string;
  readonly at: Instant;
  readonly repeatable: boolean;
  readonly repeated: number;
  readonly secrets: Readonly<Record<string, string>> | undefined;
}

export const thirtyOneDays = 31 * 24 * 3600;

export class ReferenceModel {
  now: Instant;
  /** Counts the names in use, for things whose names are never reused. */
  begun = 0;
  readonly transactions = new Map<string, Living & { browser: string; client: string; direct: boolean }>();
  readonly codes = new Map<string, Living & { client: string; holds: boolean; family: string | undefined }>();
  readonly pushed = new Map<string, Living & { browser?: string; usedBy?: string }>();
  readonly grants = new Map<string, ModelGrant>();
  readonly factors = new Map<string, Living & { place: string }>();
  readonly sessions = new Map<string, ModelSession>();
  readonly questions = new Map<string, Living & { browser: string }>();
  readonly deliveries = new Map<string, { readonly due: Instant; readonly attempts: number }>();
  readonly consents = new Map<string, readonly string[]>();
  readonly lines = new Map<string, Living & { current: number }>();
  readonly families = new Map<string, Living & { withAccessTokens: boolean }>();
  readonly accessTokens = new Map<string, Living>();
  readonly cookies = new Map<string, Living>();
  readonly assertions = new Map<string, Living & { readonly untilByClock: Instant }>();
  /** By name. The claims are one number. */
  readonly typedClaims = new Map<string, Living & { number: number }>();
  readonly documents = new Map<string, { freshUntil: Instant }>();
  fetches: Instant[] = [];
  /** In order of creation. The key is kind and name. */
  readonly identities = new Map<string, ModelIdentity>();
  /** By their marks: index and end of the assertions issued in sessions that ended. */
  readonly endedAssertions: { readonly mark: string; readonly index: string; readonly until: Instant }[] = [];
  readonly samlLogouts = new Map<string, { readonly until: Instant; ended: boolean }>();
  /** Entity IDs, the oldest first. */
  readonly serviceProviders = new Set<string>();
  epoch = 0;
  /** The texts of each generation, the newest last. */
  readonly generations: string[] = [];
  /** What each directory declared last. */
  readonly declared = new Map<string, string>();
  superseded = false;
  readonly windows = new Map<string, Living & { requests: number }>();
  readonly secrets = new Map<string, string>();
  readonly authnRequests = new Map<string, (Living & { digest: string })[]>();
  readonly delivered = new Map<string, string>();
  readonly faults = new Map<string, ModelFault>();
  /** In the order of their start. */
  readonly exams = new Map<string, Living & { readonly subject: string; readonly movesClock: boolean }>();
  /** In the order recorded. */
  exchanges: ModelExchange[] = [];
  /** True until an exchange is removed. */
  isRecordWhole = true;
  /** The number of exchanges that could not be created since the recorder was cleared. */
  lost = 0;
  /** The flow of each key. */
  readonly flowKeys = new Map<string, string>();
  waits: { readonly wait: string; readonly until: Instant }[] = [];
  recorderSwitch: boolean | undefined;
  frozenAt: Instant | undefined;
  entries: string[] = [];

  constructor(now: Instant) {
    this.now = now;
  }

  #uses = 0;
  nextUse(): number {
    this.#uses += 1;
    return this.#uses;
  }

  in(seconds: number): Instant {
    return plusSeconds(this.now, seconds);
  }

  lives<Thing extends Living>(entry: Thing | undefined): entry is Thing {
    return entry !== undefined && this.now < entry.until;
  }

  get generation(): number {
    return this.generations.length;
  }

  revoke(family: string, withAccessTokens: boolean): void {
    const before = this.families.get(family);
    const until = this.in(thirtyOneDays);
    this.families.set(family, {
      until: before !== undefined && before.until > until ? before.until : until,
      withAccessTokens: withAccessTokens || (this.lives(before) && before.withAccessTokens),
    });
  }

  /** True if a live transaction of the client or a live code for it needs its document. */
  isHeld(client: string): boolean {
    const transactions = [...this.transactions.values()].some((each) => each.client === client && this.lives(each));
    const codes = [...this.codes.values()].some((each) => each.client === client && each.holds && this.lives(each));
    return transactions || codes;
  }

  /** Free objects of a kind, or all of its objects. */
  of(kind: ModelIdentity['kind'], state?: ModelIdentity['state']): ModelIdentity[] {
    return [...this.identities.values()].filter((each) => {
      return each.kind === kind && (state === undefined || each.state === state);
    });
  }

  set(identity: ModelIdentity): void {
    this.identities.set(`${identity.kind} ${identity.name}`, identity);
  }

  remove({ kind, name }: Pick<ModelIdentity, 'kind' | 'name'>): void {
    this.identities.delete(`${kind} ${name}`);
  }
}
