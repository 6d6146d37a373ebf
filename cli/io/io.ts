import type { Clock } from '../../adapters/time/clock.ts';
import type { Cluster, ClusterWish } from '../cluster/cluster.ts';
import type { FileStreams } from './file-streams.ts';

/** Standard input, read at most once. */
export interface Input {
  readonly isTerminal: boolean;
  /** Everything up to its end. @throws Failure more than `maxBytes` */
  readonly read: (maxBytes: number) => Promise<Uint8Array>;
  /** One line, typed without being shown; only where it is a terminal. */
  readonly readHidden: (prompt: string) => Promise<Uint8Array>;
}

/** Everything that a verb may touch beside files; tests give their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Home folder of the user. */
  readonly home: string;
  /** Results, for machines and people: stdout. */
  readonly out: (text: string) => void;
  /** Progress and errors: stderr. */
  readonly err: (text: string) => void;
  readonly input: Input;
  /** Files that are too large for memory. */
  readonly files: FileStreams;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
  /** Version of this program. */
  readonly version: string;
  /** How the program was called, for lines that people copy: `orb`, `kubectl orb`, or `npm run -s orb --` in a checkout. */
  readonly program: string;
  /** Called by kubectl: a cluster is meant. */
  readonly plugin: boolean;
  /** Opens the Kubernetes API. @throws Failure there is no kubeconfig, or it can't be used */
  readonly openCluster: (wish: ClusterWish) => Promise<Cluster>;
  /** Runs Node on a file of this program with the same terminal. @returns its exit code */
  readonly runNode: (file: string, args: readonly string[]) => Promise<number>;
  /** Ends waiting early; a process is simply ended by its signals, and never aborts it. */
  readonly signal: AbortSignal;
}
