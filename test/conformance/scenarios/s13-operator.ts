import { finder, makeCanaries } from '../../integration/standalone/canary-forms.ts';
import { orb, orbiset, secret } from '../../support/cluster-objects.ts';
import { waitFor } from '../../support/wait-for.ts';
import { Checks, type Result, type Scenario, type Stage } from '../scenario.ts';
import { idOf, inOperatorWorld, type Member, type OperatorWorld } from '../operator-world.ts';

const NAME = 'mailer';
const ALL_LINES = 100_000;
const READY_MS = 15_000;
const RUNS = 5;

const [canary] = makeCanaries();
const token = canary?.value ?? '';

const urlOf = (port: number, path: string): string => `http://127.0.0.1:${port}${path}`;

/** a sends the secret back in an error, b in headers and body of an answer. */
async function applyEchoes({ space, providers: { a, b } }: OperatorWorld): Promise<void> {
  const execution = {
    type: 'http',
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer {{orbiset.secrets.TOKEN}}' },
    body_template: '{}',
    idempotent: true,
    expose_error_body: true,
  };
  const other = { ...execution, url: urlOf(b.port, '/echo-secret') };
  const manifest = {
    provider: 'a',
    inputs: { text: { type: 'string' } },
    providers: { b: { execution: other } },
    swap_config: { primary: 'a', fallbacks: ['b'], probe: { mode: 'none' } },
  };
  const outputs = { id: { type: 'string' }, raw: { type: 'string' }, url: { type: 'string' } };
  await space.apply(secret('echoed', { TOKEN: token }), orbiset('support', ['echoed']));
  await space.apply(orb(NAME, idOf(NAME), { url: urlOf(a.port, '/echo-secret-error'), execution, outputs, manifest }));
}

type Texts = readonly (readonly [place: string, text: string])[];

async function textsOf({ space, api, key }: OperatorWorld, { operator }: Member): Promise<Texts> {
  const get = async (path: string): Promise<string> => JSON.stringify((await api.get(key, path)).body);
  const metrics = await (await fetch(operator.ready.metrics_url)).text();
  return [
    ['Orb', await space.kubectl('get', 'orb', NAME, '-o', 'json')],
    ['Orbiset', await space.kubectl('get', 'orbiset', 'support', '-o', 'json')],
    ['Events', await space.kubectl('get', 'events.events.k8s.io', '-o', 'json')],
    ['status endpoint', await get(`/providers/${idOf(NAME)}/status`)],
    ['log of the API', api.log()],
    ['log of the operator', operator.process.tail(ALL_LINES)],
    ['metrics of the operator', metrics],
  ];
}

async function echoed({ plane }: Stage): Promise<Result> {
  const checks = new Checks();
  await inOperatorWorld(await plane(), 's13-secrets', async (world) => {
    const member = await world.startMember('s13');
    await applyEchoes(world);
    const texts: (readonly [string, string])[] = [];
    const run = async (): Promise<true | undefined> => {
      const { status, body } = await world.api.execute(world.key, `${world.space.name}.support`, idOf(NAME));
      texts.push([`reply ${status}`, JSON.stringify(body)]);
      return status === 200 ? true : undefined;
    };
    checks.equal('a run that b answered', await waitFor(run, READY_MS), true);
    for (let runs = 0; runs < RUNS; runs += 1) await run();
    await world.pin(NAME, { provider: 'b', expires_at: new Date(Date.now() + 600_000).toISOString() });
    checks.atMost('ms of a swap', await world.untilActive(NAME, 'b', READY_MS), READY_MS);
    await run();
    const receipts = texts.flatMap(([, text]) =>
      [...text.matchAll(/"receipt_id":"(rcpt_[^"]+)"/g)].map(([, id]) => id),
    );
    for (const id of receipts) {
      const { body } = await world.api.get(world.key, `/receipts/${id}`);
      texts.push([`receipt ${id}`, JSON.stringify(body)]);
    }
    const all = [...texts, ...(await textsOf(world, member))];
    const redacted = all.filter(([, text]) => text.includes('[redacted:TOKEN]'));
    checks.atLeast('texts with a redaction', redacted.length, 1);
    checks.atLeast('texts that were searched', all.length, 20);
    const find = finder(canary === undefined ? [] : [canary]);
    checks.equal('secrets found, in any spelling', [...new Set(find(all).map(({ place }) => place))], []);
    const seen = world.providers.b.seen.filter(({ headers }) => headers.authorization === `Bearer ${token}`);
    checks.atLeast('requests that had the secret', seen.length, RUNS);
  });
  return checks.result();
}

export const s13Operator: Scenario = {
  id: 'S13',
  title: 'the secret comes back, on a cluster: status, Events, replies, receipts, logs',
  kind: 'control-plane',
  run: echoed,
};
