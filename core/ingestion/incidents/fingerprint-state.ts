import { isJsonObject } from '../../json/json-value.ts';
import type { Target } from './match-entity.ts';
import { targetKey } from './incident.ts';
import { applySignal, EMPTY_STATE, mergeStates, type SignalState, type StateEvent } from './signal-state.ts';

/** Most targets of one fingerprint, so that its state stays below 64 KiB. */
const MAX_TARGETS = 8;

interface Title {
  readonly at: number;
  readonly text: string;
}

/** What a fingerprint says about one target. */
export interface TargetState {
  readonly target: Target;
  /** Of the newest firing. */
  readonly title: Title;
  readonly state: SignalState;
}

/**
 * State of one fingerprint of one source. An end often names no Orb: Sentry's has no tags. So ends and acknowledgements
 * without a target count for every target of the fingerprint, whichever comes first.
 */
export interface FingerprintState {
  readonly common: SignalState;
  /** By `targetKey`. */
  readonly targets: Readonly<Record<string, TargetState>>;
}

export const NO_FINGERPRINT: FingerprintState = { common: EMPTY_STATE, targets: {} };

/** Of two titles at one time the greater text counts, so that the order of arrival has no effect. */
const later = (one: Title, other: Title): Title =>
  other.at > one.at || (other.at === one.at && other.text > one.text) ? other : one;

/** The state after one more signal. @returns undefined: the fingerprint has too many targets */
export function applyToFingerprint(
  state: FingerprintState,
  event: StateEvent,
  { target, title }: { readonly target: Target | null; readonly title: string },
): FingerprintState | undefined {
  if (target === null) return { ...state, common: applySignal(state.common, event) };
  const key = targetKey(target);
  const known = Object.hasOwn(state.targets, key) ? state.targets[key] : undefined;
  if (known === undefined && Object.keys(state.targets).length >= MAX_TARGETS) return undefined;
  const found: Title = { at: event.status === 'firing' ? event.startsAt : 0, text: title };
  const next: TargetState = {
    target,
    title: known === undefined ? found : later(known.title, found),
    state: applySignal(known?.state ?? EMPTY_STATE, event),
  };
  return { ...state, targets: { ...state.targets, [key]: next } };
}

/** What the fingerprint says about a target, with what it says about all. */
export const stateFor = ({ common }: FingerprintState, { state }: TargetState): SignalState =>
  mergeStates(state, common);

/** @throws TypeError the ledger holds something else: a bug, or another program's row */
export function readFingerprintState(json: string): FingerprintState {
  const value: unknown = JSON.parse(json);
  if (!isState(value)) throw new TypeError('the ledger holds a state of a fingerprint that can not be read');
  return value;
}

const isState = (value: unknown): value is FingerprintState =>
  isJsonObject(value) && isJsonObject(value['common']) && isJsonObject(value['targets']);
