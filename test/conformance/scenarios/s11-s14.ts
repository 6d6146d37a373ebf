import { rawServer } from '../../support/egress.ts';
import { runRebinding } from '../network/run-rebinding.ts';
import { Checks, type Result, type Scenario } from '../scenario.ts';
import { answersOk, inWorld, secretOf, serves, status } from '../world.ts';

type To = (port: number) => string;

/** A redirect to another host is not followed; no part of the request is sent there. */
async function redirected(to: To): Promise<Result> {
  const checks = new Checks();
  const target = await rawServer(answersOk('target'));
  const a = serves(status('307 Temporary Redirect', [`location: ${to(target.port)}`]));
  for (const follow of [0, 3]) {
    const places = { a, b: serves(answersOk('b')) };
    await inWorld({ places, execution: { follow_redirects: follow } }, async (world) => {
      const answered = await world.run();
      checks.equal('outputs of b', answered.body['outputs'], { id: 'b' });
      const outcome = follow === 0 ? 'error' : 'blocked';
      checks.equal(`attempts, follow_redirects ${follow}`, await world.path(answered), `a ${outcome}, b success`);
      checks.equal('secrets of a that b saw', world.server('b').requests.join('').includes(secretOf('a')), false);
    });
  }
  checks.equal('connections to the target', [target.connections(), target.requests.length], [0, 0]);
  await target.close();
  return checks.result();
}

const targets: readonly [title: string, to: To][] = [
  ['307 to cloud metadata', () => 'http://169.254.169.254/latest/meta-data'],
  ['307 to loopback', (port) => `http://127.0.0.1:${port}/`],
  ['307 to another host', (port) => `https://evil.example.com:${port}/`],
];

export const s11: readonly Scenario[] = targets.map(([title, to]) => ({
  id: 'S11',
  title,
  run: () => redirected(to),
}));

const address = (text: string): { address: string; family: number } => ({ address: text, family: 4 });

const notFound = (): Promise<never> =>
  Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));

/**
 * A name that resolves to this machine, even among other addresses, is refused, whatever it resolved to before.
 * @param answers addresses by look-up; empty: no such name
 */
async function rebound(answers: readonly (readonly string[])[]): Promise<Result> {
  const checks = new Checks();
  const inner = await rawServer(answersOk('inner'));
  let asked = 0;
  const resolve = (): Promise<{ address: string; family: number }[]> => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    return addresses.length === 0 ? notFound() : Promise.resolve(addresses.map(address));
  };
  const places = { a: { kind: 'unknown' as const }, b: serves(answersOk('b')) };
  await inWorld({ places, resolve }, async (world) => {
    for (const addresses of answers) {
      const answered = await world.run();
      const outcome = addresses.length === 0 ? 'error' : 'blocked';
      checks.equal(`attempts with ${String(addresses)}`, await world.path(answered), `a ${outcome}, b success`);
    }
  });
  checks.equal('look-ups', asked, answers.length);
  checks.equal('connections to this machine', inner.connections(), 0);
  await inner.close();
  return checks.result();
}

export const s12: readonly Scenario[] = [
  { id: 'S12', title: 'DNS: a public address, then loopback', run: () => Promise.resolve(runRebinding()) },
  { id: 'S12', title: 'DNS: nothing, then loopback', run: () => rebound([[], ['127.0.0.1']]) },
  { id: 'S12', title: 'DNS: a public and a private address', run: () => rebound([['8.8.8.8', '127.0.0.1']]) },
];

async function notRepeated(): Promise<Result> {
  const checks = new Checks();
  const places = { a: serves(() => undefined), b: serves(answersOk('b')) };
  await inWorld({ places, execution: { idempotent: false, timeout_ms: 2000 } }, async (world) => {
    const answered = await world.run();
    checks.equal('answer', `${answered.status} ${String(answered.code)}`, '504 provider-timeout');
    checks.equal('maybe_executed', answered.body['maybe_executed'], true);
    checks.equal('attempts', await world.path(answered), 'a timeout');
    checks.equal('hits', [world.server('a').requests.length, world.server('b').requests.length], [1, 0]);
  });
  return checks.result();
}

export const s14: Scenario = { id: 'S14', title: 'a time-out of a request that is not repeatable', run: notRepeated };
