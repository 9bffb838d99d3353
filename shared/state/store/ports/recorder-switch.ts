/** Whether the recorder was switched by hand, which counts before the settings (REC-07). */
export interface RecorderSwitch {
  /** As of the last look at the store; undefined: nobody has. */
  state(): boolean | undefined;
  /** undefined: as the settings say, again. */
  set(enabled: boolean | undefined): Promise<void>;
}
