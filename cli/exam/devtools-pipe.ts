// The DevTools protocol over two pipes to a Chromium that was started for it. It uses no port and no library.
import type { ChildProcess } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import * as z from 'zod';

type Parameters = Readonly<Record<string, unknown>>;

interface DevtoolsEvent {
  readonly method: string;
  readonly params: Parameters;
  readonly sessionId?: string | undefined;
}

export interface Devtools {
  send(method: string, parameters?: Parameters, sessionId?: string): Promise<Parameters>;
  /** Returns a function that stops listening. */
  listen(heard: (event: DevtoolsEvent) => void): () => void;
}

const messageModel = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.looseObject({ message: z.string() }).optional(),
  sessionId: z.string().optional(),
});

interface Waiting {
  resolve(result: Parameters): void;
  reject(error: Error): void;
}

/** `child` has two pipes: 3 for input, 4 for output. */
export function devtoolsOver(child: ChildProcess): Devtools {
  const [, , , to, from] = child.stdio;
  if (!(to instanceof Writable) || !(from instanceof Readable))
    throw new Error('the browser was started without pipes');
  const waiting = new Map<number, Waiting>();
  const listeners = new Set<(event: DevtoolsEvent) => void>();
  let last = 0;
  let rest = '';
  const gone = new Error('the browser ended');
  const heard = (text: string) => {
    const { id, method, params = {}, result = {}, error, sessionId } = messageModel.parse(JSON.parse(text));
    if (id === undefined) {
      if (method !== undefined) for (const listener of listeners) listener({ method, params, sessionId });
      return;
    }
    const pending = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(new Error(error.message));
  };
  from.setEncoding('utf8').on('data', (piece: string) => {
    const texts = (rest + piece).split('\0');
    rest = texts.pop() ?? '';
    for (const text of texts) heard(text);
  });
  const ended = () => {
    for (const { reject } of waiting.values()) reject(gone);
    waiting.clear();
  };
  child.once('close', ended);
  to.on('error', ended);
  return {
    send: (method, params = {}, sessionId) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        to.write(
          `${JSON.stringify({ id: last, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`,
        );
        if (child.exitCode !== null || child.signalCode !== null) ended();
      }),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
