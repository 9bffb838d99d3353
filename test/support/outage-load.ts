// Clients that continue during outages of the machines, and record the outcomes. A request is either acknowledged or
// unknown: without a response, or with 503, it may have taken effect or not.
import { setTimeout as pause } from 'node:timers/promises';
import { authorizePath, challenge, verifier } from './authorization-flow.ts';
import { alice, web } from './credentials.ts';
import type { Machine } from './machines.ts';
import { callback } from './worlds.ts';

/** Between two requests of one client. */
const pauseMilliseconds = 15;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON body of any form. Tests compare it. */
  readonly body: Awaited<ReturnType<Response['json']>>;
}

interface Request {
  readonly path: string;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refresh family: its last acknowledged token. */
interface Family {
  refresh_token: string;
}

export class OutageLoad {
  /** Names of users. */
  readonly created: string[] = [];
  readonly perhapsCreated: string[] = [];
  /** Successful responses of /token, for all grants. */
  tokens = 0;
  perhapsTokens = 0;
  codes = 0;
  refreshes = 0;
  /** Families for which every response arrived. */
  readonly families = new Set<Family>();
  /** Responses that must never occur. */
  readonly faults: string[] = [];
  /** The number of acknowledged requests of each machine. */
  readonly acknowledged: number[];
  readonly #machines: readonly Machine[];
  readonly #patienceMilliseconds: number;
  #goesOn = true;
  #asked = 0;
  readonly #clients: readonly Promise<void>[];

  /** `patienceMilliseconds`: how long a client waits for one response. */
  constructor(machines: readonly Machine[], patienceMilliseconds: number) {
    this.#machines = machines;
    this.#patienceMilliseconds = patienceMilliseconds;
    this.acknowledged = machines.map(() => 0);
    const kinds = [() => this.#create(), () => this.#ask(), () => this.#redeem(), () => this.#redeem()];
    const refreshing = Array.from({ length: 3 }, () => this.#familyKeeper());
    this.#clients = [...kinds, ...refreshing].map((act) => this.#again(act));
  }

  async end(): Promise<void> {
    this.#goesOn = false;
    await Promise.all(this.#clients);
  }

  /** Refreshes a family once more at the end: 200 if nothing revoked it. */
  async refresh(family: Family, machine: Machine): Promise<number | undefined> {
    return (await this.#send(this.#machines.indexOf(machine), refreshOf(family)))?.status;
  }

  async #again(act: () => Promise<void>): Promise<void> {
    while (this.#goesOn) {
      await act();
      await pause(pauseMilliseconds);
    }
  }

  /** Each request goes to the next machine. */
  #next(): number {
    this.#asked += 1;
    return this.#asked % this.#machines.length;
  }

  /** Returns undefined if the outcome is unknown. */
  async #send(index: number, { path, form, json, headers = {} }: Request): Promise<Answer | undefined> {
    try {
      const answer = await fetch(`${this.#machines[index]?.idp.baseUrl}${path}`, {
        method: 'POST',
        redirect: 'manual',
        signal: AbortSignal.timeout(this.#patienceMilliseconds),
        headers: { ...(json === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
        body: json === undefined ? new URLSearchParams(form) : JSON.stringify(json),
      });
      const text = await answer.text();
      if (answer.status === 503) return undefined;
      this.acknowledged[index] = (this.acknowledged[index] ?? 0) + 1;
      return { status: answer.status, headers: answer.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
    } catch {
      return undefined;
    }
  }

  #fault(what: string, answer: Answer): void {
    this.faults.push(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  async #create(): Promise<void> {
    const username = `user-${this.created.length + this.perhapsCreated.length}`;
    const answer = await this.#send(this.#next(), { path: '/api/runtime/users', json: { username, password: 'p' } });
    if (answer?.status === 201) this.created.push(username);
    else this.perhapsCreated.push(username);
    if (answer !== undefined && answer.status !== 201) this.#fault(`a new user ${username}`, answer);
  }

  async #ask(): Promise<void> {
    const form = { grant_type: 'client_credentials' };
    const answer = await this.#send(this.#next(), { path: '/token', form, headers: web });
    this.#count(answer);
    if (answer !== undefined && answer.status !== 200) this.#fault('client_credentials', answer);
  }

  #count(answer: Answer | undefined): void {
    if (answer?.status === 200) this.tokens += 1;
    else if (answer === undefined) this.perhapsTokens += 1;
  }

  async #code(): Promise<string | undefined> {
    const parameters = { client_id: 'spa', code_challenge: challenge, code_challenge_method: 'S256', scope: 'openid' };
    const answer = await this.#send(this.#next(), { path: authorizePath(parameters), form: alice });
    if (answer === undefined) return undefined;
    const code = new URL(answer.headers.get('location') ?? 'missing:').searchParams.get('code');
    if (code === null) this.#fault('a login', answer);
    return code ?? undefined;
  }

  /** Redeems one code at two machines simultaneously: one of them returns tokens. */
  async #redeem(): Promise<void> {
    const code = await this.#code();
    if (code === undefined) return;
    const at = [this.#next(), this.#next()];
    const answers = await Promise.all(at.map((index) => this.#send(index, redemptionOf(code))));
    for (const answer of answers) this.#count(answer);
    const won = answers.filter((answer) => answer?.status === 200).length;
    const isCertain = answers.every((answer) => answer !== undefined);
    if (won > 1 || (isCertain && won !== 1)) this.faults.push(`a code was redeemed ${won} times`);
    if (won === 1) this.codes += 1;
  }

  /** Continues with one family while every response arrives. */
  #familyKeeper(): () => Promise<void> {
    let family: Family | undefined;
    return async () => {
      const request = family === undefined ? await this.#firstTokens() : refreshOf(family);
      if (request === undefined) return;
      const answer = await this.#send(this.#next(), request);
      this.#count(answer);
      if (answer?.status === 200) {
        const { refresh_token } = answer.body;
        if (family !== undefined) this.refreshes += 1;
        family ??= { refresh_token };
        family.refresh_token = refresh_token;
        this.families.add(family);
        return;
      }
      if (answer !== undefined) this.#fault(family === undefined ? 'a code' : 'a refresh token', answer);
      // The first try may have succeeded, so the next one would be a second use (PGS-34).
      if (family !== undefined) this.families.delete(family);
      family = undefined;
    };
  }

  async #firstTokens(): Promise<Request | undefined> {
    const code = await this.#code();
    return code === undefined ? undefined : redemptionOf(code);
  }
}

function refreshOf({ refresh_token }: Family): Request {
  return { path: '/token', form: { grant_type: 'refresh_token', refresh_token, client_id: 'spa' } };
}

function redemptionOf(code: string): Request {
  const form = { grant_type: 'authorization_code', code, redirect_uri: callback, client_id: 'spa' };
  return { path: '/token', form: { ...form, code_verifier: verifier } };
}
