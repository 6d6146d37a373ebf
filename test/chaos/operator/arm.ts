import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../seeded-random.ts';
import { startCountingProxy } from '../rig/counting-proxy.ts';
import { compactEtcd } from '../rig/etcd-gateway.ts';
import { startPausableProxy } from '../rig/pausable-proxy.ts';
import { answerNext, injectErrors, type Rule } from '../rig/rules.ts';
import { planEdits } from '../rig/watch-editor.ts';
import type { Plan, PlannedFault } from './plan.ts';
import type { Subject } from './subject.ts';
import type { World } from './world.ts';

/** A fault that is ready and waits for its trigger. */
export interface ArmedFault {
  readonly reached: () => boolean;
  /** Monotonic ms at which the fault ended; 0 before that, or when the restart ends it. */
  readonly endedAt: () => number;
  /** Call when a step begins. @returns resolves when the fault has done its work in this step */
  readonly stepBegins: (index: number) => Promise<void>;
  /**
   * How the number of status updates compares to that of the run without a fault; `unknown`: no number of writes can be
   * compared.
   */
  readonly counts: 'equal' | 'fewer' | 'any' | 'unknown';
  readonly end: () => Promise<void>;
}

const QUIET: ArmedFault = {
  reached: () => true,
  endedAt: () => 0,
  stepBegins: () => Promise.resolve(),
  counts: 'equal',
  end: () => Promise.resolve(),
};

type Kind = PlannedFault['kind'];
type Arming<K extends Kind> = (
  fault: Extract<PlannedFault, { kind: K }>,
  place: { readonly world: World; readonly subject: Subject; readonly seed: number },
) => ArmedFault | Promise<ArmedFault>;

const counted = (rule: Rule): { readonly rule: Rule; readonly used: () => boolean } => {
  let used = false;
  return {
    rule: (seen) => {
      const action = rule(seen);
      used ||= action !== undefined;
      return action;
    },
    used: () => used,
  };
};

const ARMING: { readonly [K in Kind]: Arming<K> } = {
  none: () => QUIET,
  crash: ({ point, when }, { subject }) => {
    subject.crashAt(point, when);
    return { ...QUIET, reached: () => subject.kills() > 0 };
  },
  stale: async ({ point, when, ms }, { world, subject }) => {
    const path = await startPausableProxy(Number(new URL(world.plane.etcdUrl).port));
    const second = await world.plane.addApiServer(`http://127.0.0.1:${path.port}`);
    const proxy = await startCountingProxy({ upstream: second.url, ca: world.plane.ca });
    let endedAt = 0;
    const heal = async (): Promise<void> => {
      await delay(ms);
      path.resume();
      endedAt = performance.now();
    };
    const server = (): string => {
      void heal();
      return proxy.url;
    };
    subject.crashAt(point, when, { killing: path.pause, server });
    return {
      ...QUIET,
      reached: () => subject.kills() > 0,
      endedAt: () => endedAt,
      // The writes after the restart are in the journal of the other proxy.
      counts: 'unknown',
      end: async () => {
        await second.crash();
        await proxy.close();
        await path.close();
      },
    };
  },
  edit: ({ edit }, { subject }) => {
    const { editor, fired } = planEdits([edit]);
    subject.proxy.editWatches(editor);
    return { ...QUIET, counts: 'any', reached: () => fired() > 0 };
  },
  'watch-status': ({ resource, status, times }, { subject }) => {
    const reason = status === 410 ? 'Expired' : 'InternalError';
    const answer = { status, reason, ...(status === 429 ? { retryAfterSeconds: 1 } : {}) };
    const { rule, used } = counted(answerNext({ verbs: ['watch'], resources: [resource] }, answer, times));
    subject.proxy.addRule(rule);
    subject.proxy.endWatches();
    return { ...QUIET, counts: 'any', reached: used };
  },
  errors: ({ rate }, { subject, seed }) => {
    const verbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'] as const;
    const resources = ['orbs', 'orbisets', 'orbpublications', 'rolebindings', 'events'];
    const { rule, used } = counted(injectErrors({ rate, random: seededRandom(seed), match: { verbs, resources } }));
    subject.proxy.addRule(rule);
    return { ...QUIET, counts: 'fewer', reached: used };
  },
  compaction: ({ step, ms }, { world }) => {
    let endedAt = 0;
    return {
      ...QUIET,
      reached: () => endedAt > 0,
      endedAt: () => endedAt,
      // A write that the dying server did but never answered is repeated.
      counts: 'unknown',
      stepBegins: async (index) => {
        if (index !== step) return;
        await delay(ms);
        await compactEtcd(world.plane.etcdUrl);
        await world.plane.server.crash();
        await world.plane.server.restart();
        endedAt = performance.now();
      },
    };
  },
};

async function armKind<K extends Kind>(
  fault: Extract<PlannedFault, { kind: K }> & { readonly kind: K },
  place: { readonly world: World; readonly subject: Subject; readonly seed: number },
): Promise<ArmedFault> {
  const arming: Arming<K> = ARMING[fault.kind];
  return arming(fault, place);
}

/** Prepares the plan's fault, before the first step. */
export const arm = (world: World, { fault, seed }: Plan, subject: Subject): Promise<ArmedFault> =>
  armKind(fault, { world, subject, seed });
