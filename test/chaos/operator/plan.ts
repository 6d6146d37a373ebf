import { readFileSync } from 'node:fs';
import { readJson } from '../rig/json.ts';
import { at, isRecord } from '../../../hack/control-plane/json.ts';
import type { CrashMode } from '../rig/rules.ts';
import type { Edit } from '../rig/watch-editor.ts';
import type { WritePoint } from '../rig/write-points.ts';
import type { WorkloadName } from './workloads.ts';

/** The fault of one run. */
export type PlannedFault =
  | { readonly kind: 'none' }
  | { readonly kind: 'crash'; readonly point: WritePoint; readonly when: CrashMode }
  /** Killed at this point, and restarted against an API server that is cut off from etcd for `ms`. */
  | { readonly kind: 'stale'; readonly point: WritePoint; readonly when: CrashMode; readonly ms: number }
  | { readonly kind: 'edit'; readonly edit: Edit }
  /** The next `times` watches of the resource are answered with this status; open watches are ended. */
  | { readonly kind: 'watch-status'; readonly resource: string; readonly status: number; readonly times: number }
  | { readonly kind: 'errors'; readonly rate: number }
  /** `ms` after the step has begun: all history is compacted, and the API server is killed and restarted. */
  | { readonly kind: 'compaction'; readonly step: number; readonly ms: number };

/** A run that can be repeated. */
export interface Plan {
  /** `R1` … of reliability.md §4.1. */
  readonly test: string;
  readonly workload: WorkloadName;
  readonly seed: number;
  readonly fault: PlannedFault;
}

const isPlan = (value: unknown): value is Plan =>
  isRecord(value) &&
  typeof value['test'] === 'string' &&
  typeof value['workload'] === 'string' &&
  typeof value['seed'] === 'number' &&
  typeof at(value, 'fault', 'kind') === 'string';

/** @throws Error the file holds no plan */
export function readPlan(path: string): Plan {
  const value = readJson(readFileSync(path, 'utf8'));
  if (!isPlan(value)) throw new Error(`${path} holds no plan: give a file that a failing run wrote`);
  return value;
}
