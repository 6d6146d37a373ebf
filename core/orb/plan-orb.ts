import { withTransitions, type WantedCondition } from '../reconcile/conditions.ts';
import type { EventSpec } from '../reconcile/event-spec.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import type { StatusPlan } from '../reconcile/plan.ts';
import { conditionsOf, generationOf, handledReconcileAt } from '../reconcile/read-object.ts';
import { findingEvents, readyEvents } from '../reconcile/finding-events.ts';
import { changeEvent, conditionsFor, outcomeOf, type Verdict } from '../reconcile/verdict.ts';
import { claimOf, holderAmong, wantedOrbId, type Claim } from './plan-holder.ts';
import { secretsBound } from './lint-hosts.ts';
import type { JudgedManifest } from './plan-manifest.ts';
import { validVersionOf, type ValidVersion } from './valid-version.ts';

/** Inputs of the plans of an Orb. */
export interface OrbSnapshot {
  readonly orb: KubeObject;
  /** Other Orbs of the namespace that claim the same `orb_id`. */
  readonly duplicates: readonly Claim[];
  /** Manifest of the current generation. */
  readonly manifest: JudgedManifest;
  /** The Orbisets that may run this Orb. */
  readonly orbisets: readonly KubeObject[];
}

/** Reason of an Orb whose id another Orb holds. No version of it runs, not even an older one. */
export const ORB_ID_CONFLICT = 'OrbIdConflict';

type Check = (snapshot: OrbSnapshot) => Verdict | undefined;

/** The `orb_id` of a valid manifest was already checked, so a plain string is enough to write it. */
type LastValid = Omit<ValidVersion, 'orbId'> & { readonly orbId: string };

/** This generation when it is valid, otherwise the last valid one. It is kept while another Orb holds its id. */
export function lastValidOf({ orb, manifest }: OrbSnapshot): LastValid | undefined {
  if (manifest.kind === 'invalid') return validVersionOf(orb);
  const { digest, providers, order } = manifest;
  const first = order.slice(0, 1);
  const others = [...providers].filter((name) => !first.includes(name)).toSorted();
  return { digest, orbId: wantedOrbId(orb) ?? '', providers: [...first, ...others] };
}

const runsOn = (orb: KubeObject): string =>
  validVersionOf(orb) === undefined ? '' : ' The last valid version keeps running.';

/** Only one Orb of a namespace may answer to an id. */
const idIsHeld: Check = ({ orb, duplicates, manifest }) => {
  const claim = claimOf(orb, manifest.kind === 'valid');
  const holder = claim === undefined ? undefined : holderAmong(claim, duplicates);
  if (claim === undefined || holder === undefined) return undefined;
  const message = `spec.orb_id: The Orb ${holder.name} holds ${claim.orbId}; give this one another, or delete one of them. Until then no version of this Orb runs.`;
  return { kind: 'stalled', reason: ORB_ID_CONFLICT, message };
};

/** The schema, the rules or the templates refuse the manifest. */
const manifestIsInvalid: Check = ({ orb, manifest }) => {
  if (manifest.kind === 'valid') return undefined;
  const { reason, message, faultLines } = manifest;
  const lines = faultLines.map((line, index) => (index === 0 ? `${line}${runsOn(orb)}` : line));
  return { kind: 'stalled', reason, message: `${message}${runsOn(orb)}`, lines };
};

/** The first violation wins: the id is checked before the manifest's content. */
const checks: readonly Check[] = [idIsHeld, manifestIsInvalid];

const RUNS = 'The manifest is valid and runs.';

const ready = ({ manifest }: OrbSnapshot): Verdict => {
  const warnings = manifest.kind === 'valid' ? manifest.warnings : '';
  const advice = warnings === '' ? '' : ` Warnings: ${warnings}`;
  return { kind: 'ready', reason: 'Ready', message: `${RUNS}${advice}` };
};

/** Whether the current generation runs. Otherwise: why not, and the version of `validDigest` runs. */
export function verdictOf(snapshot: OrbSnapshot): Verdict {
  for (const check of checks) {
    const found = check(snapshot);
    if (found !== undefined) return found;
  }
  return ready(snapshot);
}

/** Only for this generation: the secret hosts of an older generation are not stored. */
function boundSecrets({ manifest, orbisets }: OrbSnapshot, verdict: Verdict): readonly WantedCondition[] {
  const bound =
    verdict.kind === 'ready' && manifest.kind === 'valid' ? secretsBound(manifest.secrets, orbisets) : undefined;
  return bound === undefined ? [] : [bound];
}

/** The Events of a changed verdict: one for each fault or warning of the manifest. */
function eventsOf({ orb, manifest }: OrbSnapshot, verdict: Verdict): readonly EventSpec[] {
  const warning = verdict.kind !== 'ready';
  const before = conditionsOf(orb);
  const changed = readyEvents(orb, verdict, before, { action: 'Compile', warning });
  if (warning || changed.length === 0) return changed;
  const warnings = manifest.kind === 'valid' ? manifest.warningLines : [];
  // An Orb that is ready at once is no news. With thousands of new Orbs, these Events would be most of the writes.
  const isFirst = !before.some(({ type }) => type === 'Ready');
  return [
    ...(isFirst ? [] : changed.map((event) => ({ ...event, note: RUNS }))),
    ...findingEvents(orb, warnings, { reason: 'ManifestLint', action: 'Compile' }),
  ];
}

/** The part of an Orb's status that `planOrb` decides. */
export const VERDICT_PART = {
  members: ['observedGeneration', 'lastHandledReconcileAt', 'validDigest', 'lastValid'],
  conditions: ['Ready', 'Reconciling', 'Stalled', 'SecretsBound'],
} as const;

/**
 * Plans whether the id is held and the manifest compiles. `validDigest` names the version that runs, `lastValid` the
 * version that keeps running after a broken edit.
 * @param now ms since epoch
 */
export function planOrb(snapshot: OrbSnapshot, now: number): StatusPlan {
  const { orb } = snapshot;
  const verdict = verdictOf(snapshot);
  const generation = generationOf(orb);
  const bound = boundSecrets(snapshot, verdict);
  const before = conditionsOf(orb);
  const lastValid = lastValidOf(snapshot);
  const isRunning = lastValid !== undefined && verdict.reason !== ORB_ID_CONFLICT;
  return {
    status: {
      observedGeneration: generation,
      ...handledReconcileAt(orb),
      ...(isRunning ? { validDigest: lastValid.digest } : {}),
      ...(lastValid === undefined ? {} : { lastValid }),
      conditions: withTransitions([...conditionsFor(verdict), ...bound], before, { generation, now }),
    },
    events: [
      ...eventsOf(snapshot, verdict),
      ...bound
        .filter(({ status }) => status === 'False')
        .flatMap((condition) => changeEvent(before, condition, { action: 'BindSecrets', warning: true })),
    ],
    outcome: outcomeOf(verdict),
  };
}
