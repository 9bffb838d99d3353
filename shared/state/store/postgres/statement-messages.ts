// Groups the statements for a session. Simultaneous statements share one message. Statements that only write wait for
// the next message or the last. So an operation that reads and then writes takes two round trips.
import type { Answer, Connection, PreparedText } from './connection.ts';
import type { Writer } from './statement.ts';

interface Waiting {
  readonly prepared: PreparedText;
  readonly answered: (answer: Answer) => void;
  readonly failed: (error: unknown) => void;
}

type Opened = (answers: readonly Answer[]) => void;

const unheard = () => undefined;

export class StatementMessages implements Writer {
  readonly #session: Connection;
  readonly #opening: readonly PreparedText[];
  readonly #opened: Opened;
  #waiting: Waiting[] = [];
  #isDue = false;
  #isOpened = false;
  #sent: Promise<void> = Promise.resolve();

  /** `opening`: statements at the start of the first message. `opened` receives their answers. */
  constructor(session: Connection, opening: readonly PreparedText[] = [], opened: Opened = unheard) {
    this.#session = session;
    this.#opening = opening;
    this.#opened = opened;
  }

  /** Whether the first message was sent. */
  get isOpened(): boolean {
    return this.#isOpened;
  }

  ask(prepared: PreparedText): Promise<Answer> {
    if (!this.#isDue) {
      this.#isDue = true;
      queueMicrotask(() => {
        this.#isDue = false;
        // The callers of these statements receive the failure.
        this.flush().catch(unheard);
      });
    }
    return new Promise((answered, failed) => this.#waiting.push({ prepared, answered, failed }));
  }

  put(prepared: PreparedText): void {
    this.#waiting.push({ prepared, answered: unheard, failed: unheard });
  }

  /** Returns the statements that were put and not sent yet. The caller sends them. */
  drain(): readonly PreparedText[] {
    return this.#waiting.splice(0).map(({ prepared }) => prepared);
  }

  /** Sends the waiting statements, followed by these. */
  flush(last: readonly PreparedText[] = []): Promise<void> {
    const sending = this.#sent.then(() => this.#send(last));
    this.#sent = sending.catch(unheard);
    return sending;
  }

  async #send(last: readonly PreparedText[]): Promise<void> {
    const waiting = this.#waiting.splice(0);
    const opening = this.#isOpened ? [] : this.#opening;
    const statements = [...opening, ...waiting.map(({ prepared }) => prepared), ...last];
    if (statements.length === 0) return;
    this.#isOpened = true;
    try {
      const answers = await this.#session.send(statements);
      if (opening.length > 0) this.#opened(answers);
      for (const [index, { answered }] of waiting.entries()) {
        answered(answers[opening.length + index] ?? { rows: [], count: 0 });
      }
    } catch (error) {
      for (const { failed } of waiting) failed(error);
      throw error;
    }
  }
}
