// The few sessions of a worker (PGS-37 to PGS-39). Callers wait in order, as long as their operation may still take.
// The next caller replaces a broken session.
import type { Stopwatch } from '#shared/base/clock.ts';
import { type Connect, type Connection, ConnectionLostError } from './connection.ts';

/** Sessions beyond the first are closed after this time without use. */
const idleMilliseconds = 30_000;

interface Waiter {
  readonly take: (session: Connection) => void;
  /** A place for a new connection is free. */
  readonly connect: () => void;
  readonly timer: NodeJS.Timeout;
}

export class ConnectionPool {
  readonly #connect: Connect;
  readonly #size: number;
  readonly #stopwatch: Stopwatch;
  readonly #idle: Connection[] = [];
  readonly #goodbyes = new Map<Connection, NodeJS.Timeout>();
  readonly #waiting: Waiter[] = [];
  /** Connections that exist or are being made. */
  #open = 0;
  #closed = false;

  constructor(connect: Connect, size: number, stopwatch: Stopwatch) {
    this.#connect = connect;
    this.#size = size;
    this.#stopwatch = stopwatch;
  }

  get open(): number {
    return this.#open;
  }

  /** @throws ConnectionLostError when none is free within that time, or none can be made */
  async acquire(milliseconds: number): Promise<Connection> {
    const start = this.#stopwatch.read();
    const known = this.#fromIdle();
    if (known !== undefined) return known;
    if (this.#open >= this.#size) {
      const given = await this.#wait(milliseconds);
      if (given !== undefined) return given;
    } else {
      this.#open += 1;
    }
    try {
      return await this.#connect(Math.max(milliseconds - this.#stopwatch.since(start), 1));
    } catch (error) {
      this.#placeIsFree();
      throw error;
    }
  }

  release(session: Connection): void {
    if (this.#closed || !session.isOpen()) {
      this.drop(session);
      return;
    }
    const next = this.#next();
    if (next !== undefined) {
      next.take(session);
      return;
    }
    this.#idle.push(session);
    const goodbye = setTimeout(() => this.#endIdle(session), idleMilliseconds);
    this.#goodbyes.set(session, goodbye.unref());
  }

  /** Ends a session that no operation may use any more. */
  drop(session: Connection): void {
    session.drop();
    this.#placeIsFree();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const idle = this.#idle.splice(0);
    for (const session of idle) this.#forgetGoodbye(session);
    await Promise.all(idle.map((session) => session.close()));
  }

  #fromIdle(): Connection | undefined {
    for (;;) {
      // The most recently used session, so that the rest can become idle and close.
      const session = this.#idle.pop();
      if (session === undefined) return undefined;
      this.#forgetGoodbye(session);
      if (session.isOpen()) return session;
      this.#open -= 1;
    }
  }

  #endIdle(session: Connection): void {
    const at = this.#idle.indexOf(session);
    if (at < 0 || this.#idle.length < 2) return;
    this.#idle.splice(at, 1);
    this.#goodbyes.delete(session);
    this.#open -= 1;
    void session.close();
  }

  #forgetGoodbye(session: Connection): void {
    clearTimeout(this.#goodbyes.get(session));
    this.#goodbyes.delete(session);
  }

  #next(): Waiter | undefined {
    const next = this.#waiting.shift();
    clearTimeout(next?.timer);
    return next;
  }

  #placeIsFree(): void {
    const next = this.#next();
    if (next === undefined) this.#open -= 1;
    else next.connect();
  }

  /** Returns a session. undefined: a place for a new one. */
  #wait(milliseconds: number): Promise<Connection | undefined> {
    return new Promise((resolve, reject) => {
      const overdue = () => {
        const at = this.#waiting.indexOf(waiter);
        if (at >= 0) this.#waiting.splice(at, 1);
        reject(new ConnectionLostError('All PostgreSQL sessions of this worker are in use.'));
      };
      const waiter: Waiter = {
        take: resolve,
        connect: () => resolve(undefined),
        timer: setTimeout(overdue, Math.max(milliseconds, 1)),
      };
      this.#waiting.push(waiter);
    });
  }
}
