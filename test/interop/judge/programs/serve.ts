// A judged client as a program: it takes a line of JSON for each pace that it is to go through, asks for the browser where a
// person would be sent to the identity provider, and says who is logged in, or what it refused with. main.ts asks it.
import { createInterface } from 'node:readline';

/** Sends the browser to an address; answers what comes back: the address called, or the fields posted. */
export type SendBrowser = (address: string) => Promise<string>;

/** Goes through it and answers whom the client takes for logged in. @throws whatever the client refuses with */
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

/** With its causes: some libraries say there what it was. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${reasonOf(error.cause)})` : '';
  return `${error.name}: ${error.message}${cause}`;
}
