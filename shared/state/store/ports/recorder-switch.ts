/** Whether the recorder was switched by hand, which takes precedence over the settings (REC-07). */
export interface RecorderSwitch {
  /** Returns the state as of the last read of the store. undefined: not switched by hand. */
  state(): boolean | undefined;
  /** undefined: the settings decide again. */
  set(enabled: boolean | undefined): Promise<void>;
}
