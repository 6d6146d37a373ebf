import type { Aim, ObjectWrite } from './aims.ts';
import type { PolicyClient } from './client.ts';

/** A platform that runs. */
export interface RunningPlatform {
  readonly client: PolicyClient;
  readonly ledgerFile: string;
  /** Kills it by SIGKILL; resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** @returns exit code */
  readonly stop: () => Promise<number | null>;
}

/** A platform over one folder, which is started again after each kill. */
export interface ChangeSubject {
  readonly namespace: string;
  readonly aims: readonly Aim[];
  /** Its `--data` folder. */
  readonly data: string;
  readonly start: () => Promise<RunningPlatform>;
  /**
   * Arms a kill at the next such write of a policy.
   * @returns resolves when the process is gone
   */
  readonly killAtWrite: (name: string, write: ObjectWrite, kill: () => Promise<void>) => Promise<void>;
  /** What the object says is in force: digest and mode; undefined where no object shows it. */
  readonly shown: (name: string) => Promise<string | undefined>;
  /** Everything that its processes logged. */
  readonly log: () => string;
  /** Texts that reached the provider. */
  readonly called: ReadonlyMap<string, number>;
  /** Ends everything; the data stay. */
  readonly close: () => Promise<void>;
}
