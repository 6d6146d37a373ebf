import { at } from '../../../hack/control-plane/json.ts';
import { waitFor } from '../../support/wait-for.ts';
import { Checks, type Result, type Scenario, type Stage } from '../scenario.ts';
import { activeOf, idOf, inOperatorWorld, type OperatorWorld } from '../operator-world.ts';

const NAME = 'mailer';
const PIN_MS = 20_000;
const REPORT_MS = 15_000;
const SERVED_MS = 10_000;

/** The provider that a run reached. */
async function runVia({ api, key, space, providers: { a, b } }: OperatorWorld): Promise<string> {
  const before = [a.seen.length, b.seen.length];
  const { status, code } = await api.execute(key, `${space.name}.support`, idOf(NAME));
  if (status !== 200) return `${status} ${code}`;
  return [a.seen.length - (before[0] ?? 0), b.seen.length - (before[1] ?? 0)].join(' and ');
}

const [VIA_A, VIA_B] = ['1 and 0', '0 and 1'];

async function swap({ api, key }: OperatorWorld, body: unknown): Promise<number> {
  const answer = await fetch(`${api.url}/providers/${idOf(NAME)}/swap`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await answer.body?.cancel();
  return answer.status;
}

async function untilVia(world: OperatorWorld, wanted: string): Promise<string> {
  let last = '';
  await waitFor(async () => {
    last = await runVia(world);
    return last === wanted ? true : undefined;
  }, SERVED_MS);
  return last;
}

/** Time of the Event, ms since epoch. */
async function reportedAt({ space }: OperatorWorld, reason: string): Promise<number | undefined> {
  const events = await space.list('events.events.k8s.io');
  const found = events.find((event) => at(event, 'reason') === reason);
  return found === undefined ? undefined : Date.parse(String(at(found, 'eventTime')));
}

async function pinned({ plane }: Stage): Promise<Result> {
  const checks = new Checks();
  await inOperatorWorld(await plane(), 's19-pins', async (world) => {
    const first = await world.startMember('s19-first');
    await world.applyOrb(NAME, { probe: { mode: 'none' } });
    checks.atMost('ms until a is the active one', await world.untilActive(NAME, 'a', SERVED_MS), SERVED_MS);
    checks.equal('runs at first', await untilVia(world, VIA_A), VIA_A);
    await first.operator.stop();
    const status = await swap(world, { provider: 'b', expires_in: `${PIN_MS}ms`, wait_ms: 2000 });
    checks.equal('POST swap without an operator is answered', [200, 202].includes(status), true);
    checks.equal('the next run', await runVia(world), VIA_B);
    checks.equal('what the operator has written', activeOf(await world.space.get(`orb/${NAME}`)), 'a');
    await world.startMember('s19-second');
    checks.atMost('ms until the operator has followed', await world.untilActive(NAME, 'b', SERVED_MS), SERVED_MS);
    const orb = await world.space.get(`orb/${NAME}`);
    const ends = Date.parse(String(at(orb, 'spec', 'pin', 'expires_at')));
    const reported = await waitFor(() => reportedAt(world, 'PinExpired'), PIN_MS + REPORT_MS + SERVED_MS);
    checks.atMost('ms from the end of the pin to its Event', Math.abs((reported ?? Infinity) - ends), REPORT_MS);
    checks.equal('it stays', activeOf(await world.space.get(`orb/${NAME}`)), 'b');
    checks.equal('runs from then on', await untilVia(world, VIA_B), VIA_B);
  });
  return checks.result();
}

export const s19Operator: Scenario = {
  id: 'S19',
  title: 'a pin over HTTP while the operator is stopped, and its end',
  kind: 'control-plane',
  run: pinned,
};
