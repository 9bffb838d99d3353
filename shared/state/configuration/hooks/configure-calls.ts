// The calls of `configure` of one module, of which a process has one. A call that took too long is given up and still goes
// on: when it ends after a later one began, the settings of that later one are given once more (ACT-11).

interface ConfigureCall {
  /** May throw, or answer a promise. */
  readonly configure: () => unknown;
  /** Nobody has given up what it configures. */
  readonly isWanted: () => boolean;
  /** Told why the settings could not be given once more, which nobody waits for. */
  readonly onFailureAgain: (error: unknown) => void;
}

export class ConfigureCalls {
  #latest: ConfigureCall | undefined;
  #isLatestRunning = false;
  /** An earlier one has ended since the latest began. */
  #isOvertaken = false;

  /** Rejects when it fails. */
  async make(asked: ConfigureCall): Promise<void> {
    const call = { ...asked };
    this.#latest = call;
    this.#isLatestRunning = true;
    this.#isOvertaken = false;
    try {
      await call.configure();
    } finally {
      this.#ended(call);
    }
  }

  #ended(call: ConfigureCall): void {
    const latest = this.#latest;
    if (call === latest) this.#isLatestRunning = false;
    else this.#isOvertaken = true;
    if (latest === undefined || this.#isLatestRunning || !this.#isOvertaken || !latest.isWanted()) return;
    this.make(latest).catch(latest.onFailureAgain);
  }
}

const callsOfModules = new Map<unknown, ConfigureCalls>();

/** Of the module that exports this. */
export function configureCallsOf(exported: unknown): ConfigureCalls {
  const known = callsOfModules.get(exported);
  if (known !== undefined) return known;
  const calls = new ConfigureCalls();
  callsOfModules.set(exported, calls);
  return calls;
}
