import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { exitOf } from '../../../hack/node/exit-of.ts';
import { PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import { checkKilled, type KilledLedger } from '../../chaos/check-killed.ts';
import { at } from '../../../hack/control-plane/json.ts';
import { emptyWitness, type Observations } from '../../chaos/witness.ts';
import { place } from '../../support/e2e/node.ts';
import type { ApiClient } from './api-client.ts';
import { RATE, type LoadResult } from './load.ts';
import { eventually } from './patience.ts';
import { TENANT, type ProviderPod } from './provider-pods.ts';
import { platformKubectl } from './release.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const KEYS = 'orb-platform-keys';
const VERIFIED = 3;
/** The 15 s of the Orb, the 60 s of grace and the 15 s interval of the sweeper, plus time that only a hang exceeds. */
export const SWEPT_MS = 240_000;
const SWEEP_MS = 5000;
// Required share of the planned callers, on a machine that shares its cores with the cluster.
const REACHED = 0.9;

async function writeKeys(folder: string): Promise<void> {
  const secret: unknown = JSON.parse(await platformKubectl('get', 'secret', KEYS, '-o', 'json'));
  const data = at(secret, 'data');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, value] of Object.entries(isJsonObject(data) ? data : {}))
    await writeFile(join(folder, name), Buffer.from(typeof value === 'string' ? value : '', 'base64'), { mode: 0o600 });
}

/** Makes a checked copy of the ledger while it is in use, as documented. */
async function backUp(file: string): Promise<void> {
  const args = ['exec', '-n', PLATFORM_NAMESPACE, 'deploy/orb-api', '--', 'orb', 'ledger', 'backup', '-'];
  const child = spawn(place.kubectl, [...args, '--data', '/data'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const reported: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => reported.push(chunk));
  const exited = exitOf(child);
  await pipeline(child.stdout, createWriteStream(file));
  const code = await exited;
  if (code !== 0) throw new Error(`orb ledger backup (${code}): ${Buffer.concat(reported).toString('utf8')}`);
}

/** A value that the API exposes at its metrics port; undefined while it does not answer. */
async function metricOf(name: string): Promise<string | undefined> {
  const selector = 'app.kubernetes.io/component=api';
  const address = await platformKubectl('get', 'pods', '-l', selector, '-o', 'jsonpath={.items[0].status.podIP}');
  const answer = await fetch(`http://${address}:9464/metrics`, { signal: AbortSignal.timeout(5000) }).catch(
    () => undefined,
  );
  return (await answer?.text())
    ?.split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.slice(name.length + 1);
}

/** Public root key of the issuer, for a verifier that trusts only this root. @returns its file */
export async function rootKey(api: ApiClient): Promise<string> {
  const folder = join(api.folder, 'data/keys');
  await writeKeys(folder);
  return join(folder, 'root.jwk');
}

/** Verifies the newest receipts offline: fetches them, then verifies them without network requests. */
async function verifyOffline(api: ApiClient, receiptIds: readonly string[]): Promise<void> {
  const root = await rootKey(api);
  for (const receiptId of receiptIds) {
    const file = join(api.folder, `${receiptId}.json`);
    const got = await api.orb('receipts', 'get', receiptId, '--namespace', TENANT, '--bundle', file);
    expect(got.code, `orb receipts get ${receiptId}:\n${got.stderr}${got.stdout}`).to.equal(0);
    const { code, stdout, stderr } = await api.orb('verify', file, '--root', root);
    expect(code, `orb verify ${receiptId}:\n${stderr}${stdout}`).to.equal(0);
  }
}

/** Reads the whole ledger: it holds every receipt and checkpoint that was seen, signed, once, in one tree. */
async function readLedger(api: ApiClient, seen: Observations): Promise<KilledLedger> {
  // A new folder each time: SQLite would read the side files of an earlier copy with the next copy.
  const data = await mkdtemp(join(api.folder, 'look-'));
  await writeKeys(join(data, 'keys'));
  await mkdir(join(data, 'ledger'));
  await backUp(join(data, 'ledger/ledger.sqlite'));
  return checkKilled(data, seen, TENANT);
}

/** Checks the ledger after any event of the pods. @param receiptIds of runs that callers saw complete */
export async function checkLedger(api: ApiClient, receiptIds: readonly string[]): Promise<KilledLedger> {
  const seen = emptyWitness();
  for (const receiptId of receiptIds) seen.acknowledged.add(receiptId);
  const note = await api.get('/log/checkpoint');
  seen.checkpoints.set(Number(String(note.body).split('\n')[1]), String(note.body));
  const ledger = await readLedger(api, seen);
  expect(ledger.faults, 'the ledger').to.deep.equal([]);
  await verifyOffline(api, receiptIds.slice(-VERIFIED));
  const consistent = await eventually(async () => ((await metricOf('orb_log_consistent')) === '1' ? 1 : undefined));
  expect(consistent, 'orb_log_consistent').to.equal(1);
  return ledger;
}

/**
 * Waits until runs whose process was killed have the receipt of the sweeper.
 * @param receiptIds as for `checkLedger`
 */
export async function untilSwept(api: ApiClient, receiptIds: readonly string[]): Promise<KilledLedger> {
  await checkLedger(api, receiptIds);
  await lastAnswer(
    () => readLedger(api, emptyWitness()),
    ({ open }) => open === 0,
    SWEPT_MS,
    SWEEP_MS,
  );
  return checkLedger(api, receiptIds);
}

/** Checks that enough runs came, and that each was answered, reached the provider once and has one receipt. */
export async function checkLoad(
  api: ApiClient,
  { runs, failed, perSecond }: LoadResult,
  providers: readonly ProviderPod[],
): Promise<void> {
  expect(perSecond, 'runs a second').to.be.at.least(RATE * REACHED);
  const faults = Map.groupBy(failed, ({ fault }) => fault);
  const reported = [...faults].map(([fault, { length }]) => `${length} times ${fault}`);
  expect(reported, `${failed.length} of ${runs.length} runs failed`).to.deep.equal([]);
  const receiptIds = runs.map(({ receiptId }) => receiptId);
  expect(new Set(receiptIds).size, 'receipts of the runs').to.equal(runs.length);
  expect(await secondRequests(providers), 'second requests').to.deep.equal([]);
  const posted = new Set(await postedTo(providers));
  expect(
    runs.filter(({ id }) => !posted.has(id)),
    'runs that no provider saw',
  ).to.deep.equal([]);
  const { open } = await checkLedger(api, receiptIds);
  expect(open, 'runs without a receipt').to.equal(0);
}

/** Ids that reached a provider, repeated for each time. */
export const postedTo = async (providers: readonly ProviderPod[]): Promise<readonly string[]> =>
  (await Promise.all(providers.map((provider) => provider.posted()))).flat();

/** Ids that reached a provider more than once. */
export async function secondRequests(providers: readonly ProviderPod[]): Promise<readonly string[]> {
  const seen = new Set<string>();
  return (await postedTo(providers)).filter((id) => seen.size === seen.add(id).size);
}
