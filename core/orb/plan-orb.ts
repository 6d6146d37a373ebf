import { isDigest, type Digest } from '../json/digest.ts';
import { withTransitions } from '../reconcile/conditions.ts';
import type { EventSpec } from '../reconcile/event-spec.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import type { Plan } from '../reconcile/plan.ts';
import { conditionsOf, generationOf, handledReconcileAt, statusOf } from '../reconcile/read-object.ts';
import { changeEvent, conditionsFor, outcomeOf, type Verdict } from '../reconcile/verdict.ts';
import { olderHolder, wantedOrbId } from './plan-holder.ts';
import type { JudgedManifest } from './plan-manifest.ts';

/** What the plans of an Orb are made from. */
export interface OrbSnapshot {
  readonly orb: KubeObject;
  /** Other Orbs of the namespace that ask for the same `orb_id`. */
  readonly twins: readonly KubeObject[];
  /** Of the current generation. */
  readonly manifest: JudgedManifest;
}

/** Reason of an Orb whose id another one holds: nothing of it runs, also no older version. */
export const ORB_ID_CONFLICT = 'OrbIdConflict';

type Check = (snapshot: OrbSnapshot) => Verdict | undefined;

/** The digest that `status` says is running: of the last generation that was valid. */
function lastValidDigest(orb: KubeObject): Digest | undefined {
  const { validDigest } = statusOf(orb);
  return typeof validDigest === 'string' && isDigest(validDigest) ? validDigest : undefined;
}

const runsOn = (orb: KubeObject): string =>
  lastValidDigest(orb) === undefined ? '' : ' The last valid version runs on.';

/** In a namespace the oldest wins, else two Orbs would answer to one id. */
const idIsHeld: Check = ({ orb, twins }) => {
  const holder = olderHolder(orb, twins);
  if (holder === undefined) return undefined;
  const message = `spec.orb_id: The Orb ${holder.metadata.name} holds ${wantedOrbId(orb) ?? 'this id'}; give this one another, or delete one of them. Until then nothing of this one runs.`;
  return { kind: 'stalled', reason: ORB_ID_CONFLICT, message };
};

/** Schema, rules or templates refuse it. */
const manifestIsInvalid: Check = ({ orb, manifest }) =>
  manifest.kind === 'valid'
    ? undefined
    : { kind: 'stalled', reason: manifest.reason, message: `${manifest.message}${runsOn(orb)}` };

/** First violation wins: what the id means is settled before what the manifest says. */
const checks: readonly Check[] = [idIsHeld, manifestIsInvalid];

const ready = ({ manifest }: OrbSnapshot): Verdict => {
  const warnings = manifest.kind === 'valid' ? manifest.warnings : '';
  const advice = warnings === '' ? '' : ` Worth a look: ${warnings}`;
  return { kind: 'ready', reason: 'Ready', message: `The manifest is valid and runs.${advice}` };
};

/** Whether the current generation runs, or what keeps it from that; then the one of `validDigest` does. */
export function verdictOf(snapshot: OrbSnapshot): Verdict {
  for (const check of checks) {
    const found = check(snapshot);
    if (found !== undefined) return found;
  }
  return ready(snapshot);
}

function eventsOf(snapshot: OrbSnapshot, verdict: Verdict): readonly EventSpec[] {
  const warning = verdict.kind !== 'ready';
  const before = conditionsOf(snapshot.orb);
  const changed = conditionsFor(verdict)
    .filter(({ type }) => type === 'Ready')
    .flatMap((condition) => changeEvent(before, condition, { action: 'Compile', warning }));
  const { manifest } = snapshot;
  const hasAdvice = !warning && changed.length > 0 && manifest.kind === 'valid' && manifest.warnings !== '';
  return hasAdvice
    ? [...changed, { type: 'Warning', reason: 'ManifestLint', action: 'Compile', note: manifest.warnings }]
    : changed;
}

/** What runs: this generation, or the last one that was valid. */
function runningDigest({ orb, manifest }: OrbSnapshot, verdict: Verdict): Digest | undefined {
  if (verdict.kind === 'ready' && manifest.kind === 'valid') return manifest.digest;
  return verdict.reason === ORB_ID_CONFLICT ? undefined : lastValidDigest(orb);
}

/**
 * Status of an Orb as the manager `orb-operator` owns it (security.md §6.1): id held, manifest compiled, `validDigest`.
 * @param now ms since epoch
 */
export function planOrb(snapshot: OrbSnapshot, now: number): Plan {
  const { orb } = snapshot;
  const verdict = verdictOf(snapshot);
  const generation = generationOf(orb);
  const validDigest = runningDigest(snapshot, verdict);
  return {
    status: {
      observedGeneration: generation,
      ...handledReconcileAt(orb),
      ...(validDigest === undefined ? {} : { validDigest }),
      conditions: withTransitions(conditionsFor(verdict), conditionsOf(orb), { generation, now }),
    },
    events: eventsOf(snapshot, verdict),
    outcome: outcomeOf(verdict),
  };
}
