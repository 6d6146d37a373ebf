import type { Drafts } from '../../adapters/draft-worker/port.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import type { ServiceGroup } from '../../adapters/process/shared-flags.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { Scope } from '../../core/api-key/scopes.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';
import type { JsonSchema } from '../http/operation.ts';
import type { Route } from '../http/route.ts';
import type { Intake } from '../ingestion/receive.ts';
import type { SignalSources } from '../ingestion/source.ts';
import type { PolicyObjects } from '../policy/port.ts';
import type { ProblemPart } from '../problems/problem-part.ts';
import type { EvaluationSource, PinStore } from '../providers/port.ts';
import type { Replays } from '../replays/replays.ts';
import type { Reputation } from '../reputation/reputation.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { PlatformStatus } from '../status/platform-status.ts';

/** Parts that routes are built from. A service takes the parts that it needs. */
export interface ServiceParts {
  readonly version: string;
  readonly clock: Clock;
  readonly ledger: Ledger;
  /** The keys document as the root signed it, and the same document opened. */
  readonly keys: { readonly keysJws: string; readonly document: KeysDocument };
  readonly runtime: Runtime;
  readonly reputation: Reputation;
  readonly replays: Replays;
  /** Policies that are not in force: their thread. */
  readonly drafts: Drafts;
  readonly status: PlatformStatus;
  /** The signal sources that receive. */
  readonly sources: SignalSources;
  readonly intake: Intake;
  /** Parts that keep the process from being ready; empty: ready. */
  readonly missing: () => readonly string[];
  readonly policyObjects: PolicyObjects;
  readonly pins: PinStore;
  readonly lastEvaluation: EvaluationSource;
}

/** A service of the API: one folder here, and one line in `services.ts`. */
export interface Service {
  readonly name: string;
  /** The service of the specification that it is a part of (`--services`); `every`: each process has it. */
  readonly group: ServiceGroup | 'every';
  readonly routes: (parts: ServiceParts) => readonly Route[];
  /** The scopes that its routes need, without `public`. */
  readonly scopes: readonly Scope[];
  /** Codes that only its routes answer: its line of the table in `api-server/http/problems.ts`. */
  readonly problems: ProblemPart;
  /** Named schemas that only its routes use (`#/components/schemas/NAME`). */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}
