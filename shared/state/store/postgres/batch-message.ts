// Several statements as one message and one round trip. The driver does not offer this: each of its own queries ends
// with a Sync. PostgreSQL makes one transaction of everything between two Syncs, unless the statements request
// otherwise (PostgreSQL's manual, "Extended Query Protocol").
import type { Answer, PreparedText, Value } from './connection.ts';

/** The interface that the driver writes to. */
export interface Wire {
  parse(statement: { readonly name: string; readonly text: string }): void;
  bind(values: { readonly statement: string; readonly values: readonly (string | Buffer | null)[] }): void;
  describe(what: { readonly type: 'P'; readonly name: string }): void;
  execute(portal: object): void;
  close(what: { readonly type: 'S'; readonly name: string }): void;
  sync(): void;
  readonly stream: { cork?(): void; uncork?(): void };
}

/** Parses the value of a column, which arrives as text. */
type ReadValue = (typeOid: number, text: string) => unknown;

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** Which statements a connection's server has parsed. */
export class ParsedStatements {
  readonly #known = new Set<string>();
  /** Statements that may or may not be parsed, because a message failed around them. */
  readonly #doubtful = new Set<string>();

  isKnown(name: string): boolean {
    return this.#known.has(name);
  }

  /** Returns true if the server may have another statement under this name, which must be closed first. */
  learn(name: string): boolean {
    this.#known.add(name);
    return this.#doubtful.delete(name);
  }

  doubt(name: string): void {
    this.#known.delete(name);
    this.#doubtful.add(name);
  }
}

/** The driver sends the message in order and reports the server's responses through the methods with these names. */
export class BatchMessage {
  readonly #asked: readonly PreparedText[];
  readonly #parsed: ParsedStatements;
  readonly #read: ReadValue;
  readonly #answers: Answer[] = [];
  readonly #newNames: string[] = [];
  #fields: readonly Field[] = [];
  #rows: unknown[] = [];
  #settle: { readonly resolve: (answers: readonly Answer[]) => void; readonly reject: (error: unknown) => void };
  /**
   * One answer for each statement. Rejects with the server's error when a statement fails. No statement after it has
   * run then.
   */
  readonly answered: Promise<readonly Answer[]>;

  constructor(statements: readonly PreparedText[], parsed: ParsedStatements, read: ReadValue) {
    this.#asked = statements;
    this.#parsed = parsed;
    this.#read = read;
    const { promise, ...settle } = settleable<readonly Answer[]>();
    this.answered = promise;
    this.#settle = settle;
  }

  submit(wire: Wire): null {
    wire.stream.cork?.();
    try {
      for (const { name, text, values } of this.#asked) {
        if (name === undefined) wire.parse({ name: '', text });
        else if (!this.#parsed.isKnown(name)) {
          this.#newNames.push(name);
          if (this.#parsed.learn(name)) wire.close({ type: 'S', name });
          wire.parse({ name, text });
        }
        wire.bind({ statement: name ?? '', values: values.map(sentAs) });
        wire.describe({ type: 'P', name: '' });
        wire.execute({});
      }
      wire.sync();
    } finally {
      wire.stream.uncork?.();
    }
    return null;
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#fields = fields;
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const row: Record<string, unknown> = {};
    for (const [index, { name, dataTypeID }] of this.#fields.entries()) {
      const text = fields[index] ?? null;
      row[name] = text === null ? null : this.#read(dataTypeID, text);
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#answers.push({ rows: this.#rows, count: Number(/ (\d+)$/.exec(text)?.[1] ?? 0) });
    this.#rows = [];
    this.#fields = [];
  }

  handleReadyForQuery(): void {
    this.#settle.resolve(this.#answers);
  }

  handleError(error: unknown): void {
    for (const name of this.#newNames) this.#parsed.doubt(name);
    this.#settle.reject(error);
  }
}

function sentAs(value: Value): string | Buffer | null {
  if (value === null || typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : Buffer.from(value);
}

function settleable<Result>() {
  let resolve: (result: Result) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<Result>((onResult, onError) => {
    resolve = onResult;
    reject = onError;
  });
  return { promise, resolve, reject };
}
