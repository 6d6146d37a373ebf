import type { Clock } from '../../adapters/time/clock.ts';
import type { Cluster, ClusterSelection } from './cluster.ts';
import type { FileStreams } from './file-streams.ts';

/** Standard input, read at most once. */
export interface Input {
  readonly isTerminal: boolean;
  /** Everything up to its end. @throws Failure more than `maxBytes` */
  readonly read: (maxBytes: number) => Promise<Uint8Array>;
  /** One line, typed without being shown; only present when the input is a terminal. */
  readonly readHidden: (prompt: string) => Promise<Uint8Array>;
}

/** Everything that a verb may use besides files; tests pass their own. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Home folder of the user. */
  readonly home: string;
  /** Results, for machines and people: stdout. */
  readonly out: (text: string) => void;
  /** Progress and errors: stderr. */
  readonly err: (text: string) => void;
  /** Whether the user sees stderr alone while results go elsewhere: then long work reports its progress. */
  readonly showsProgress: boolean;
  readonly input: Input;
  /** Streams for files that are too large for memory. */
  readonly files: FileStreams;
  readonly clock: Clock;
  readonly random: (length: number) => Uint8Array;
  /** Version of this program. */
  readonly version: string;
  /** How the user called the program, for lines to copy: `orb`, `kubectl orb`, or `npm run -s orb --` in a checkout. */
  readonly program: string;
  /** True when kubectl called the program: the verb then works on a cluster. */
  readonly plugin: boolean;
  /** Opens the Kubernetes API. @throws Failure the kubeconfig does not exist or can't be used */
  readonly openCluster: (selection: ClusterSelection) => Promise<Cluster>;
  /** Runs Node on a file of this program with the same terminal. @returns its exit code */
  readonly runNode: (file: string, args: readonly string[]) => Promise<number>;
  /** Ends waiting early. A real process never aborts it: signals end the process directly. */
  readonly signal: AbortSignal;
}
