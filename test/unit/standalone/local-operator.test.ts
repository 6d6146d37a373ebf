import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { KINDS } from '../../../adapters/kube/kinds.ts';
import { OrbMetrics } from '../../../adapters/telemetry/orb-metrics.ts';
import { createObjectPins } from '../../../api-server/providers/object-pins.ts';
import { readFailoverStatus } from '../../../core/failover/status-codec.ts';
import type { FailoverStatus } from '../../../core/failover/types.ts';
import { parseOrbId } from '../../../core/manifest/orb-id.ts';
import { createCompileOnce } from '../../../core/orb/compile-once.ts';
import { statusOf } from '../../../core/reconcile/read-object.ts';
import { createLocalOperator } from '../../../standalone/local-operator.ts';
import { createLogRecorder } from '../../../standalone/log-recorder.ts';
import { anObjectStore, type AnObjectStore } from '../../support/an-object-store.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { sent } from '../../support/kube-objects.ts';
import { recordingLogger } from '../../support/kube/recorders.ts';
import { recordMetrics } from '../../support/kube/runtime-recorders.ts';
import { mail, TICK } from '../../support/operator-loop.ts';

const START = Date.parse('2026-02-01T10:00:00Z');
const LATE = 3000;
const TURNS = 100;
const PARSED = parseOrbId('acme.mail@1.0.0');
if (!PARSED.ok) throw new TypeError('no orb_id');
const ORB_ID = PARSED.value;
const PLACE = { namespace: 'acme', name: 'mail', orbId: ORB_ID };
const PIN = {
  provider: 'b',
  mode: 'soft',
  id: 'swp_0193a1c2-7f10-7c3e-9a41-5d2f0b6c8e11',
  actor: 'key:a',
  expires_at: new Date(START + 3_600_000).toISOString(),
} as const;

/** A clock whose sleepers don't wake while their process is stopped. */
interface StoppingClock extends FakeClock {
  readonly stop: (ms: number) => void;
}

function createStoppingClock(): StoppingClock {
  const clock = createFakeClock(START);
  let stopped = 0;
  return {
    ...clock,
    now: () => clock.now() + stopped,
    monotonic: () => clock.monotonic() + stopped,
    stop: (ms) => void (stopped += ms),
  };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
}

/** The operator's controllers over the local object store, and the Orb `acme/mail`. */
interface LocalWorld {
  readonly clock: StoppingClock;
  readonly pins: ReturnType<typeof createObjectPins>;
  readonly status: () => Promise<FailoverStatus>;
  /** Ms since epoch, of the last evaluation. */
  readonly evaluatedAt: () => Promise<number | undefined>;
  readonly stop: () => Promise<void>;
}

async function statusIn(store: AnObjectStore): Promise<FailoverStatus> {
  const orb = await store.orb('mail');
  const status = orb === undefined ? null : readFailoverStatus(statusOf(orb)['failover']);
  if (status === null) throw new TypeError('no status.failover');
  return status;
}

async function aLocalOperator(): Promise<LocalWorld> {
  const clock = createStoppingClock();
  const store = await anObjectStore({ clock });
  const orbs = new OrbMetrics(clock);
  orbs.setOrb({ namespace: 'acme', orbId: ORB_ID, providers: ['a', 'b', 'c'], swaps: true });
  const logger = recordingLogger();
  const { signal } = new AbortController();
  await store.client.apply(KINDS.orb, sent(mail()), { fieldManager: 'file' }, signal);
  const operator = createLocalOperator({
    platform: {
      clock,
      exceptions: [],
      log: { logger },
      metrics: { registry: new Registry(), swapping: () => orbs.swapping(), health: orbs.health },
    },
    store,
    metrics: recordMetrics().metrics,
    recorder: createLogRecorder(logger),
    compiled: createCompileOnce([]),
    platformNamespace: 'orb-system',
    random: () => 0.5,
  });
  const ending = new AbortController();
  const running = operator.run(ending.signal);
  await settled();
  const asked = { namespace: 'acme', orbId: ORB_ID, quantile: 0.95, active: { provider: 'a', since: START } };
  return {
    clock,
    pins: createObjectPins({ client: store.client, clock }),
    status: () => statusIn(store),
    evaluatedAt: async () => (await operator.lastEvaluation(asked))?.evaluatedAt,
    stop: async () => {
      ending.abort();
      await running;
    },
  };
}

describe('createLocalOperator', () => {
  it('leaves the begin of a pin where it is when its process is resumed after a tick was due, with the pin pending', async () => {
    const { clock, pins, status, evaluatedAt, stop } = await aLocalOperator();
    await clock.advance(TICK);
    await settled();
    expect(await evaluatedAt()).to.equal(START + TICK);
    await clock.advance(TICK - 1);
    clock.stop(LATE + 1);
    const resumed = START + 2 * TICK + LATE;
    expect(clock.now()).to.equal(resumed);
    await pins.set(PLACE, PIN);
    await settled();
    expect((await status()).pin.firstSeen).to.deep.equal({ id: PIN.id, at: resumed });
    await clock.advance(1);
    await settled();
    expect(await evaluatedAt()).to.equal(resumed + 1);
    const { pin, since, activeProvider } = await status();
    expect({ firstSeen: pin.firstSeen, since, activeProvider }).to.deep.equal({
      firstSeen: { id: PIN.id, at: resumed },
      since: resumed,
      activeProvider: 'b',
    });
    await stop();
  });
});
