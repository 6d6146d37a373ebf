import type { CrashMode } from '../../rig/rules.ts';

/** What is done when the kill comes. */
export type Act = 'replay' | 'promotion' | 'new version' | 'approval' | 'deletion';

/** A write of the API to the Kubernetes API. */
export interface ObjectWrite {
  readonly verb: 'patch' | 'delete';
  readonly subresource: 'status' | undefined;
  readonly when: CrashMode;
}

/** The moment of a kill. */
export type Aim =
  /** Within some ms after the request was sent, drawn evenly up to `upToMs`. */
  | { readonly act: Act; readonly at: 'sent'; readonly upToMs: number }
  /** As soon as the ledger holds the row of the act: of a replay, that it runs. */
  | { readonly act: Act; readonly at: 'written' }
  /** As soon as the ledger holds the totals of a replay, which its gate reads. */
  | { readonly act: 'replay'; readonly at: 'counted' }
  /** Within some ms after the caller has its answer. */
  | { readonly act: Act; readonly at: 'answered'; readonly upToMs: number }
  /** Around a write to the Kubernetes API. */
  | { readonly act: Act; readonly at: 'object'; readonly write: ObjectWrite };

/** A replay of some hundred runs takes about half a second, most of it the start of its thread. */
const REPLAY_MS = 600;

/** Kills of standalone, and of the API of a cluster. */
export const ROW_AIMS: readonly Aim[] = [
  { act: 'replay', at: 'written' },
  { act: 'promotion', at: 'written' },
  { act: 'replay', at: 'counted' },
  { act: 'approval', at: 'written' },
  { act: 'promotion', at: 'sent', upToMs: 10 },
  { act: 'replay', at: 'answered', upToMs: REPLAY_MS },
  { act: 'promotion', at: 'answered', upToMs: 5 },
  { act: 'approval', at: 'sent', upToMs: 6 },
  { act: 'new version', at: 'written' },
  { act: 'replay', at: 'sent', upToMs: 10 },
  { act: 'new version', at: 'sent', upToMs: 10 },
  { act: 'approval', at: 'answered', upToMs: 20 },
  { act: 'deletion', at: 'sent', upToMs: 10 },
  { act: 'deletion', at: 'written' },
];

const around = (act: Act, verb: ObjectWrite['verb'], subresource: ObjectWrite['subresource']): readonly Aim[] =>
  (['before-send', 'after-send', 'after-response'] as const).map((when) => ({
    act,
    at: 'object',
    write: { verb, subresource, when },
  }));

/** Kills of the API of a cluster alone: around each write to an object. */
export const OBJECT_AIMS: readonly Aim[] = [
  ...around('promotion', 'patch', undefined),
  ...around('new version', 'patch', undefined),
  ...around('promotion', 'patch', 'status'),
  ...around('replay', 'patch', 'status'),
  ...around('deletion', 'delete', undefined),
];

export function aimText(aim: Aim): string {
  if (aim.at !== 'object') return `${aim.act}: ${aim.at}`;
  const { verb, subresource, when } = aim.write;
  return `${aim.act}: ${verb} of the ${subresource ?? 'object'}, ${when}`;
}
