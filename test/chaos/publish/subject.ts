import type { JsonObject } from '../../../core/json/json-value.ts';
import type { Aim } from './aims.ts';
import type { ShownVersion } from './check-version.ts';
import type { Caller } from './request.ts';
import type { Track } from './track.ts';
import type { Version } from './version.ts';

/** One process of a platform, until it is killed. */
export interface Running extends Caller {
  /** Monotonic ms. */
  readonly readyAt: number;
  readonly ledgerFile: string;
  /** SIGKILL to all of it; resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** SIGTERM. @returns exit code, null after a signal */
  readonly stop: () => Promise<number | null>;
}

/** A platform that is killed again and again, on one data folder. */
export interface Subject {
  readonly aims: readonly Aim[];
  /** Of the provider that versions call. */
  readonly providerUrl: string;
  /** `NAME` or `NAMESPACE.NAME` of the Orbiset in which versions run. */
  readonly orbiset: string;
  /** Starts it over what was left. @param versions that can be executed then */
  readonly start: (versions: readonly Version[]) => Promise<Running>;
  /** Starts it and kills it after some ms, usually before it answers. */
  readonly killEarly: (versions: readonly Version[], afterMs: number) => Promise<void>;
  /** Applies an OrbPublication with this spec. */
  readonly apply: (version: Version, spec: JsonObject) => Promise<void>;
  /** Whether its status says that it is published. */
  readonly isReported: (version: Version) => Promise<boolean>;
  /**
   * Another fault, which begins soon and ends some time after the next start has begun.
   * @returns its name; '': none this time
   */
  readonly disturb: () => string;
  /** What the objects of a version lack. @param publishIndex of its entry in the log */
  readonly objectLacks: (track: Track, shown: ShownVersion, publishIndex: number) => Promise<readonly string[]>;
}
