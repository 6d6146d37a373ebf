import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { conditionOf } from '../../../core/reconcile/read-object.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startApi, type ApiProcess, type ApiReply } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { apiKeySecret, orb, orbiset, secret, vaultReader } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { SHORT_LEASE, startOperator, type OperatorProcess } from '../../support/operator-process.ts';
import { temporaryFolder } from '../../support/standalone.ts';
import { issue, makeCa } from '../../support/tls.ts';
import { startWitness, type WitnessProvider } from '../../support/witness-provider.ts';
import { finder, type Canary } from '../standalone/canary-forms.ts';

const SPACE = 'r17-secrets';
const A = 'a.r17.example.com';
const B = 'b.r17.example.com';
const ECHO = 'acme.echo@1.0.0';
const HELD = 'acme.held@1.0.0';
const MOVES = 'acme.moves@1.0.0';
const PAIR = 'acme.pair@1.0.0';
/** Of the design: a change of a Secret is in use. */
const IN_USE_MS = 5000;
/** A right is lost when reads were refused for 10 s, and the API has asked again since (backed off up to 30 s). */
const CLOSED_MS = 40_000;
const ROTATIONS = 50;
const LOOPS = 4;

const OUTPUTS = { id: { type: 'string' }, echo: { type: 'array' } };

/** An Orb of provider `main` at A and, for some, `second` at B. */
function anOrb(orbId: string, path: string, second?: { readonly entry: string }): object {
  const name = orbId.slice('acme.'.length, orbId.indexOf('@'));
  const url = `https://${A}${path}`;
  if (second === undefined) return orb(name, orbId, { url, secret: 'TOKEN', outputs: OUTPUTS });
  const execution = {
    type: 'http',
    method: 'POST',
    url: `https://${B}/ok`,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer {{orbiset.secrets.${second.entry}}}` },
    body_template: '{"text":"{{inputs.text}}"}',
    idempotent: true,
  };
  const manifest = { providers: { second: { execution } }, swap_config: { primary: 'main', fallbacks: ['second'] } };
  return orb(name, orbId, { url, secret: 'TOKEN', outputs: OUTPUTS, execution: { idempotent: true }, manifest });
}

const bound = (name: string, allowedHosts: readonly string[]): object => ({ name, allowedHosts });

const saysOf =
  (text: string) =>
  (object: KubeObject): boolean =>
    JSON.stringify(object).includes(text);
const isReady =
  (reason: string) =>
  (object: KubeObject): boolean =>
    conditionOf(object, 'Ready')?.reason === reason;

const filesBelow = (folder: string): readonly (readonly [string, Buffer])[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path, readFileSync(path)]);

describe('R17 secrets under fault (reliability.md §4.2)', function suite() {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const owner = apiKeySecret([SPACE]);
  /** Every value that was ever set. */
  const canaries: Canary[] = [];
  /** Every answer of the API. */
  const answers: string[] = [];
  let plane: ControlPlane;
  let operator: OperatorProcess;
  let api: ApiProcess;
  let provider: WitnessProvider;
  let team: TestNamespace;
  /** What the Secret of the second provider holds when a test begins. */
  let spare = '';

  /** A value that was never set before; what a Secret holds may have more at its end. */
  function newValue(entry: string): string {
    const core = randomBytes(24).toString('base64url');
    const value = `cnry-${core}`;
    canaries.push({ entry: `${entry} ${canaries.length}`, value, cores: [core] });
    return value;
  }

  async function execute(orbId: string, text = 'hi'): Promise<ApiReply> {
    const reply = await api.execute(owner.key, 'support', orbId, text);
    answers.push(JSON.stringify(reply.body));
    return reply;
  }

  /** Sets a value and returns when it is set. */
  async function rotate(name: string, entry: string, end = ''): Promise<string> {
    const value = newValue(entry);
    await team.apply(secret(name, { [entry]: `${value}${end}` }));
    return value;
  }

  /** The token of the newest call, of a run that has succeeded. */
  async function tokenOf(orbId: string): Promise<string> {
    const reply = await execute(orbId);
    return reply.status === 200 ? (provider.calls.at(-1)?.token ?? '') : reply.code;
  }

  /** Waits until runs end so; the last end is told of when they don't. @param wanted a token or a code */
  async function checkBecomes(orbId: string, wanted: string, ms = IN_USE_MS): Promise<void> {
    let last = '';
    await waitFor(async () => ((last = await tokenOf(orbId)) === wanted ? true : undefined), ms);
    expect(last).to.equal(wanted);
  }

  const arrived = (path: string): number => provider.calls.filter((call) => call.path === path).length;

  /** Starts a run whose provider answers after `release`. */
  async function startHeld(orbId: string, path: string): Promise<{ readonly ended: Promise<ApiReply> }> {
    provider.hold();
    const before = arrived(path);
    const ended = execute(orbId, 'in flight');
    expect(await waitFor(async () => (arrived(path) > before ? true : undefined))).to.equal(true);
    return { ended };
  }

  before(async () => {
    plane = await sharedControlPlane();
    const ca = makeCa();
    writeFileSync(join(folder, 'ca.pem'), ca.certificate);
    const leaf = issue(ca, { names: [A, B] });
    provider = await startWitness({ key: leaf.key, cert: leaf.certificate });
    team = await testNamespace(plane, SPACE);
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
    await team.apply(
      anOrb(ECHO, '/ok'),
      anOrb(HELD, '/held/200'),
      anOrb(MOVES, '/held/503', { entry: 'TOKEN' }),
      anOrb(PAIR, '/ok', { entry: 'SPARE' }),
      orbiset('support', [], { vault: { secrets: [bound('mail', [A, B]), bound('spare', [B])] } }),
    );
    // Nobody makes a RoleBinding again that was taken away.
    const flags = ['--rbac-vault=tenant', '--log-level=debug'];
    operator = await startOperator(plane, { flags: [...SHORT_LEASE, ...flags] });
    const stubs = [A, B].map((host) => `--egress-stub=https://${host}=127.0.0.1:${provider.port}`);
    api = await startApi(plane, [...flags, ...stubs, `--egress-ca=${join(folder, 'ca.pem')}`]);
  });
  beforeEach(async () => {
    await team.apply(vaultReader());
    spare = await rotate('spare', 'SPARE');
    await checkBecomes(ECHO, await rotate('mail', 'TOKEN'));
  });
  after(async () => {
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', owner.name, '--ignore-not-found']);
    await team.remove();
    expect(await operator.stop()).to.equal(0);
    expect(await api.stop()).to.equal(0);
    await provider.close();
    rmSync(folder, { recursive: true });
  });

  it('ends a run in flight with the old value, and starts the next with the new one within 5 s', async () => {
    const old = await tokenOf(ECHO);
    const running = await startHeld(HELD, '/held/200');
    const rotated = await rotate('mail', 'TOKEN');
    await checkBecomes(ECHO, rotated);
    provider.release();
    const ended = await running.ended;
    expect([ended.status, provider.calls.find(({ path }) => path === '/held/200')?.token]).to.deep.equal([200, old]);
    // Its provider sent the old value back, when the vault had long the new one.
    expect(JSON.stringify(ended.body)).to.contain('[redacted:TOKEN]');
  });

  it('sends the old value also to the next provider of a run that began with it', async () => {
    const old = await tokenOf(ECHO);
    const running = await startHeld(MOVES, '/held/503');
    await checkBecomes(ECHO, await rotate('mail', 'TOKEN'));
    provider.release();
    expect((await running.ended).status).to.equal(200);
    const sent = provider.calls.filter(({ text }) => text === 'in flight').slice(-2);
    expect(sent.map(({ host, token }) => [host, token])).to.deep.equal([
      [A, old],
      [B, old],
    ]);
  });

  it(`loses no run of a steady load in ${ROTATIONS} rotations, and uses each value within 5 s`, async () => {
    const order = [await tokenOf(ECHO)];
    const from = provider.calls.length;
    const failed: ApiReply[] = [];
    const stop = new AbortController();
    const loop = async (text: string): Promise<void> => {
      while (!stop.signal.aborted) {
        const reply = await execute(ECHO, text);
        if (reply.status !== 200) failed.push(reply);
        await delay(20);
      }
    };
    const load = Promise.all(Array.from({ length: LOOPS }, (_, number) => loop(`loop ${number}`)));
    const tookMs: number[] = [];
    for (let rotation = 0; rotation < ROTATIONS; rotation += 1) {
      const began = performance.now();
      const value = await rotate('mail', 'TOKEN');
      order.push(value);
      const first = await waitFor(async () => provider.calls.find(({ token }) => token === value), IN_USE_MS);
      tookMs.push((first?.at ?? Infinity) - began);
    }
    stop.abort();
    await load;
    expect(failed).to.deep.equal([]);
    expect(Math.max(...tookMs)).to.be.at.most(IN_USE_MS);
    const sent = provider.calls.slice(from);
    expect(sent.length).to.be.at.least(ROTATIONS * LOOPS);
    expect(sent.filter(({ token }) => !order.includes(token))).to.deep.equal([]);
    for (let number = 0; number < LOOPS; number += 1) {
      const steps = sent.filter(({ text }) => text === `loop ${number}`).map(({ token }) => order.indexOf(token));
      expect(steps, `loop ${number}: no value comes back`).to.deep.equal(steps.toSorted((a, b) => a - b));
    }
  });

  it('fails closed when the Secret is deleted, and uses the next eligible provider where there is one', async () => {
    await checkBecomes(PAIR, await tokenOf(ECHO));
    await team.kubectl('delete', 'secret/mail');
    await checkBecomes(ECHO, 'secret-missing');
    await checkBecomes(PAIR, spare);
    const from = provider.calls.length;
    for (let run = 0; run < 10; run += 1) expect(await tokenOf(PAIR)).to.equal(spare);
    expect(provider.calls.slice(from).map(({ host }) => host)).to.deep.equal(Array.from({ length: 10 }, () => B));
    const reported = await team.until('orbiset/support', saysOf('SecretNotFound'));
    expect(conditionOf(reported, 'VaultReady')?.message).to.contain('mail');
    await team.until('orbiset/support', isReady('VaultIncomplete'));

    await team.kubectl('delete', 'secret/spare');
    await checkBecomes(PAIR, 'secret-missing');

    await rotate('spare', 'SPARE');
    const token = await rotate('mail', 'TOKEN');
    await checkBecomes(ECHO, token);
    await checkBecomes(PAIR, token);
    expect(provider.calls.at(-1)?.host).to.equal(A);
  });

  it('fails closed when the RoleBinding was taken away for 10 s, and opens again with it', async () => {
    const token = await tokenOf(ECHO);
    await team.kubectl('delete', 'rolebinding', 'orb-vault-reader');
    api.proxy.endWatches(); // Kubernetes asks for rights when a watch begins: now instead of within ten minutes
    const began = performance.now();
    expect(await tokenOf(ECHO)).to.equal(token);
    await checkBecomes(ECHO, 'secret-missing', CLOSED_MS);
    expect(performance.now() - began).to.be.above(9000);
    // Each Secret has a watch of its own, which is refused at its own times.
    await checkBecomes(PAIR, 'secret-missing', CLOSED_MS);
    const from = provider.calls.length;
    for (const orbId of [ECHO, PAIR]) expect(await tokenOf(orbId)).to.equal('secret-missing');
    expect(provider.calls.length).to.equal(from);
    const reported = await team.until('orbiset/support', saysOf('Forbidden'));
    expect(conditionOf(reported, 'VaultReady')).to.include({ status: 'False', reason: 'Forbidden' });
    await team.until('orbiset/support', isReady('RoleBindingMissing'));

    await team.apply(vaultReader());
    await checkBecomes(ECHO, token);
    await checkBecomes(PAIR, token);
  });

  it('sends a value without the newline at its end and says so, and refuses one with two', async () => {
    await checkBecomes(ECHO, await rotate('mail', 'TOKEN', '\n'));
    // The RoleBinding is new: the report that the vault can be read may still be on its way.
    const isReported = saysOf('TrailingNewline');
    const reported = await team.until(
      'orbiset/support',
      (object) => isReported(object) && conditionOf(object, 'VaultReady')?.status === 'True',
    );
    expect(conditionOf(reported, 'TrailingNewline')).to.include({ status: 'True', reason: 'TrailingNewline' });
    expect(conditionOf(reported, 'TrailingNewline')?.message).to.contain('TOKEN');

    await checkBecomes(ECHO, await rotate('mail', 'TOKEN', '\r\n'));
    const two = await rotate('mail', 'TOKEN', '\n\n');
    await checkBecomes(ECHO, 'secret-not-header-safe');
    expect(provider.calls.some(({ token }) => token.startsWith(two))).to.equal(false);

    await checkBecomes(ECHO, await rotate('mail', 'TOKEN'));
    await team.until('orbiset/support', (object) => conditionOf(object, 'TrailingNewline') === undefined);
  });

  it('has sent no provider a value that was never set, nor the secret of another', async () => {
    await team.kubectl('delete', 'secret/mail');
    await checkBecomes(PAIR, spare);
    const known = new Set(canaries.map(({ value }) => value));
    expect(provider.calls.filter(({ token }) => !known.has(token))).to.deep.equal([]);
    const spares = new Set(canaries.filter(({ entry }) => entry.startsWith('SPARE')).map(({ value }) => value));
    const sent = provider.calls.filter(({ token }) => spares.has(token));
    expect(new Set(sent.map(({ host }) => host))).to.deep.equal(new Set([B]));
  });

  it('has shown no value after all of it: no output, Event, status, answer, file or metric holds one', async () => {
    const find = finder(canaries);
    const places: (readonly [string, string | Buffer])[] = [['answers', answers.join('\n')]];
    for (const kind of ['events', 'orbs', 'orbisets', 'rolebindings'])
      places.push([kind, await team.kubectl('get', kind, '-o', 'json', '--show-managed-fields')]);
    const platform = ['-n', 'orb-system', 'get', 'events,configmaps,leases', '-o', 'json', '--show-managed-fields'];
    places.push(['platform', await kubectlOk(plane, platform)]);
    const ready = readFileSync(join(api.data, 'ready.json'), 'utf8');
    for (const url of [/"metrics_url":\s*"([^"]+)"/.exec(ready)?.[1] ?? '', operator.ready.metrics_url])
      places.push([url, await (await fetch(url)).text()]);
    places.push(['receipts', JSON.stringify((await api.get(owner.key, '/receipts?limit=200')).body)]);
    // What a process says when it ends is part of its output.
    expect([await operator.process.stop(), await api.process.stop()]).to.deep.equal([0, 0]);
    places.push(['operator', readFileSync(operator.process.log)], ...filesBelow(api.data));

    expect(answers.join('')).to.contain('[redacted:TOKEN]');
    expect(api.log().split('\n').length).to.be.above(ROTATIONS);
    expect(places.find(([place]) => place === 'events')?.[1]).to.contain('VaultIncomplete');
    expect(places.filter(([, content]) => content.length === 0)).to.deep.equal([]);
    expect(find(places).map(({ place, entry, spelling }) => [place, entry, spelling])).to.deep.equal([]);
    // The search finds what is there: the Secret holds the newest value in base64.
    expect(find([['secret', await team.kubectl('get', 'secret/mail', '-o', 'json')]])).to.have.lengthOf.above(0);
  });
});
