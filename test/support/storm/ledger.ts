// The responses during a storm. Only acknowledgements count, because audit, files and store must agree with them
// afterwards. Objects are named `user zoe` or `client app`.

interface Reset {
  readonly users_deleted: number;
  readonly clients_deleted: number;
}

export class Ledger {
  readonly created: string[] = [];
  readonly deleted: string[] = [];
  readonly promoted: string[] = [];
  readonly resets: Reset[] = [];
  readonly registered: string[] = [];
  readonly unregistered: string[] = [];
  /** Registrations that a reset or removal interrupted (DCR-21), and those above the limit. */
  interrupted = 0;
  limited = 0;
  readonly rotated: string[] = [];
  /** Users that the editor saved, including names of runtime users. */
  readonly saved: string[] = [];
  conflicts = 0;
  toolCalls = 0;
  reloads = 0;
  /** Responses of /token and of POST /api/users/{username}/token. */
  tokens = 0;
  tokenRefusals = 0;
  introspections = 0;
  readonly redeemed: Record<'codes' | 'refreshTokens' | 'deviceCodes', number> = {
    codes: 0,
    refreshTokens: 0,
    deviceCodes: 0,
  };
  /** Requests that were retried as the server requested. */
  triedAgain = 0;
  /** Responses that must never occur, each with its request. */
  readonly faults: string[] = [];

  summary(): string {
    const { codes, refreshTokens, deviceCodes } = this.redeemed;
    return [
      `${this.created.length} created, ${this.deleted.length} deleted, ${this.promoted.length} promoted`,
      `${this.resets.length} resets, ${this.registered.length} registered, ${this.unregistered.length} unregistered`,
      `${this.limited} above the limit, ${this.interrupted} interrupted`,
      `${this.reloads} reloads, ${this.rotated.length} rotations, ${this.saved.length} saves (${this.conflicts} conflicts)`,
      `${this.tokens} tokens, ${codes} codes, ${refreshTokens} refresh tokens, ${deviceCodes} device codes spent`,
      `${this.triedAgain} tried again`,
    ].join('; ');
  }
}
