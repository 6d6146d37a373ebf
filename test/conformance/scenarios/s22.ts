import { setTimeout as delay } from 'node:timers/promises';
import { checkSwaps, SwapWitness } from '../../chaos/rig/oracles/swaps.ts';
import type { CrashMode, Rule } from '../../chaos/rig/rules.ts';
import { checkLedger } from '../../chaos/swaps/check-ledger.ts';
import { waitFor } from '../../support/wait-for.ts';
import { Checks, type Result, type Scenario, type Stage } from '../scenario.ts';
import { idOf, inOperatorWorld, type Member, type OperatorWorld } from '../operator-world.ts';

const NAME = 'mailer';
/** Five times the lease of these operators; 60 s are four times the shipped lease. */
const STOPPED_MS = 20_000;
const LONG_MS = 60_000;
/** Time for the lease, its retry, and one evaluation. */
const TAKEOVER_MS = 4000 + 1000 + 15_000 + 5000;
const AT_ONCE_MS = 5000;
const MINTED_MS = 30_000;
const SETTLE_MS = 3000;

/** A fault of the leader while b fails, so that a swap is due. */
type Disturb = (leader: Member, members: readonly Member[]) => Promise<void>;

const killed = async ({ operator }: Member): Promise<void> => {
  operator.process.kill('SIGKILL');
  await operator.process.exited;
};

const stopped =
  (ms: number): Disturb =>
  async ({ operator }) => {
    operator.process.kill('SIGSTOP');
    await delay(ms);
    operator.process.kill('SIGCONT');
  };

/** Ends an operator around the next write of `status.failover`, once. */
const crashed =
  (when: CrashMode): Disturb =>
  async (_leader, members) => {
    let isUsed = false;
    const rule =
      (member: Member): Rule =>
      ({ request: { resource, fieldManager, name } }) => {
        if (isUsed || resource !== 'orbs' || name !== NAME || fieldManager !== 'orb-operator') return undefined;
        isUsed = true;
        return { kind: 'kill', when, kill: () => killed(member) };
      };
    for (const member of members) member.proxy.addRule(rule(member));
    const hit = await waitFor(() => Promise.resolve(isUsed ? true : undefined), TAKEOVER_MS);
    if (hit === undefined) throw new Error('no write came');
  };

/** A pin without id is identified by its end, so each pin is different. */
const pinTo = (provider: string): Readonly<Record<string, unknown>> => ({
  provider,
  mode: 'once',
  expires_at: new Date(Date.now() + 600_000).toISOString(),
});

async function checkEverything(world: OperatorWorld, checks: Checks): Promise<void> {
  const { space, api, key } = world;
  const witness = new SwapWitness();
  witness.saw(await space.get(`orb/${NAME}`));
  const [seen] = witness.orbs();
  const swaps = seen?.swaps ?? [];
  checks.equal(
    'swaps',
    swaps.map(({ seq, from, to, reason }) => `${seq} ${from}>${to} ${reason}`),
    ['1 a>b manual', '2 b>a hard_failure', '3 a>b manual'],
  );
  checks.equal('numbers and Events', checkSwaps(witness.orbs(), await space.list('events.events.k8s.io')), []);
  for (const { receiptId, seq } of swaps) {
    const path = `/receipts/${receiptId}`;
    const poll = async (): Promise<true | undefined> => ((await api.get(key, path)).status === 200 ? true : undefined);
    checks.equal(`receipt of swap ${seq}`, await waitFor(poll, MINTED_MS), true);
  }
  await api.process.stop();
  checks.equal('receipts in the ledger', await checkLedger(api.data, space.name, swaps.length), []);
}

async function disturbed({ plane }: Stage, namespace: string, disturb: Disturb): Promise<Result> {
  const checks = new Checks();
  await inOperatorWorld(await plane(), namespace, async (world) => {
    const members = [await world.startMember(`${namespace}-1`), await world.startMember(`${namespace}-2`)];
    const leader = await world.leader(members);
    if (leader === undefined) throw new Error('nobody leads');
    await world.applyOrb(NAME);
    checks.atMost('ms until a is the active one', await world.untilActive(NAME, 'a', 10_000), 10_000);
    await world.pin(NAME, pinTo('b'));
    checks.atMost('ms of the swap by hand', await world.untilActive(NAME, 'b', AT_ONCE_MS), AT_ONCE_MS);
    const disturbing = disturb(leader, members);
    disturbing.catch(() => undefined); // awaited below, after the swap
    world.metrics.set({ namespace, orbId: idOf(NAME) }, { a: 'well', b: 'failing' });
    checks.atMost('ms until b is left', await world.untilActive(NAME, 'a', 2 * TAKEOVER_MS), TAKEOVER_MS);
    await disturbing;
    world.metrics.set({ namespace, orbId: idOf(NAME) }, { a: 'well', b: 'well' });
    checks.equal('somebody leads', (await world.leader(members)) !== undefined, true);
    await world.pin(NAME, pinTo('b'));
    checks.atMost('ms of the next swap by hand', await world.untilActive(NAME, 'b', TAKEOVER_MS), TAKEOVER_MS);
    await delay(SETTLE_MS);
    await checkEverything(world, checks);
  });
  return checks.result();
}

const scenario = (title: string, namespace: string, disturb: Disturb): Scenario => ({
  id: 'S22',
  title: `two operators: ${title}`,
  kind: 'control-plane',
  run: (stage) => disturbed(stage, namespace, disturb),
});

export const s22RealTime: Scenario = {
  ...scenario('the leader gets SIGSTOP, 60 s later SIGCONT', 's22-minute', stopped(LONG_MS)),
  kind: 'real-time',
};

export const s22: readonly Scenario[] = [
  scenario('the leader gets SIGKILL', 's22-kill', killed),
  { ...scenario('the leader gets SIGSTOP, five leases later SIGCONT', 's22-stop', stopped(STOPPED_MS)), isLong: true },
  scenario('the leader is killed before its patch', 's22-before', crashed('before-send')),
  scenario('the leader is killed after its patch', 's22-after', crashed('after-response')),
];
