// A judged client as a program. It reads a line of JSON for each step, requests the browser when a user would be sent to
// the identity provider, and prints the logged-in user or the reason of its rejection. main.ts controls it.
import { createInterface } from 'node:readline';

/** Sends the browser to an address, and returns the callback address or the posted fields. */
export type SendBrowser = (address: string) => Promise<string>;

/** Runs the step and returns the user that the client considers logged in. @throws the error that the client rejects with */
type Pace = (send: SendBrowser) => Promise<string>;

export async function serve(paces: Readonly<Record<string, Pace>>): Promise<void> {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const read = async () => {
    const { value, done } = await lines.next();
    return done === true ? undefined : JSON.parse(value);
  };
  const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`);
  for (let order = await read(); order !== undefined; order = await read()) {
    const pace = paces[order.pace];
    if (pace === undefined) {
      say({ lacks: order.pace });
      continue;
    }
    try {
      const user = await pace(async (open) => {
        say({ open });
        return (await read()).answer;
      });
      say({ user });
    } catch (error) {
      say({ refusal: reasonOf(error) });
    }
  }
}

/** Includes the causes, in which some libraries put the real reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${reasonOf(error.cause)})` : '';
  return `${error.name}: ${error.message}${cause}`;
}
