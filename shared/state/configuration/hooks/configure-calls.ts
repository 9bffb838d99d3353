// The calls of `configure` of one module, which exists once in a process. A call that takes too long is abandoned but
// still runs. If it ends after a later call began, the later settings are passed again (ACT-11).

interface ConfigureCall {
  /** May throw, or return a promise. */
  readonly configure: () => unknown;
  /** The configuration has not been abandoned. */
  readonly isCurrent: () => boolean;
  /** Called when passing the settings again failed, which no caller waits for. */
  readonly onFailureAgain: (error: unknown) => void;
}

class ConfigureCalls {
  #latest: ConfigureCall | undefined;
  #isLatestRunning = false;
  /** An earlier call has ended since the latest began. */
  #isOvertaken = false;

  /** Rejects when the call fails. */
  async make(newCall: ConfigureCall): Promise<void> {
    const call = { ...newCall };
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
    if (latest === undefined || this.#isLatestRunning || !this.#isOvertaken || !latest.isCurrent()) return;
    this.make(latest).catch(latest.onFailureAgain);
  }
}

const callsOfModules = new Map<unknown, ConfigureCalls>();

/** The calls of the module with this export. */
export function configureCallsOf(exported: unknown): ConfigureCalls {
  const known = callsOfModules.get(exported);
  if (known !== undefined) return known;
  const calls = new ConfigureCalls();
  callsOfModules.set(exported, calls);
  return calls;
}
