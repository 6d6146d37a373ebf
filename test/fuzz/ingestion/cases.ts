import { MemoryCatalog } from '../../../adapters/catalog/memory-catalog.ts';
import { deliveryKeyOf } from '../../../api-server/ingestion/delivery-key.ts';
import type { SignalSource } from '../../../api-server/ingestion/source.ts';
import { KnownOrbs } from '../../../api-server/ingestion/worker/known-orbs.ts';
import { readEvents } from '../../../api-server/ingestion/worker/read-events.ts';
import { NO_PAUSES } from '../../../api-server/ingestion/worker/pauses.ts';
import { judgeSource } from '../../../core/ingestion/source/judge-source.ts';
import { VENDORS } from '../../../core/ingestion/vendors/vendors.ts';
import { aSignalSource } from '../../support/a-signal-source.ts';
import { anyFormBody, anyJsonBody, anyValue } from './bodies.ts';
import { anyMapping } from './mappings.ts';
import { pick, type Random } from './random.ts';
import { tryForgery } from './signatures.ts';

const SOURCES = Object.keys(VENDORS).map((type) => aSignalSource(`acme/${type.toLowerCase()}`, { type }));
const JSON_SOURCES = SOURCES.filter(({ parser }) => parser === 'json');
const FORM_SOURCES = SOURCES.filter(({ parser }) => parser === 'form');
const ORBS = new KnownOrbs({
  catalog: new MemoryCatalog(),
  published: { version: () => undefined },
  platformNamespace: 'orb-system',
});

/** Everything that a body meets between the verification and the ledger. @returns whether it was read */
async function takeBody(source: SignalSource, body: Uint8Array): Promise<boolean> {
  const { text } = deliveryKeyOf(source, undefined, { body, receivedAt: 0 });
  if (!/^(?:sha256:[0-9a-f]{64}|id:[^]{1,256})$/u.test(text)) throw new Error(`the key of a delivery is ${text}`);
  const headers = [['content-type', 'application/json']] as const;
  const read = await readEvents({ body, headers }, source, { orbs: ORBS, pauses: NO_PAUSES });
  return read.ok;
}

/** A source with any mapping, and any payload for it. @returns whether the mapping compiles and gives events */
async function takeMapping(random: Random): Promise<boolean> {
  const auth = { scheme: 'bearer', secretRefs: [{ name: 'hook', key: 'token' }] };
  const spec = { type: 'custom', mode: 'Active', auth, mapping: anyMapping(random) };
  const metadata = { namespace: 'acme', name: 'any', uid: 'any', generation: 1 };
  const object = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbSignalSource', metadata, spec };
  if (judgeSource(object, 'orb-system').kind !== 'accepted') return false;
  const { labels, ...rest } = { labels: anyValue(random, 2), status: 'firing', a: anyValue(random, 3) };
  const payload = { alerts: [{ labels, ...rest }, anyValue(random, 3)], title: anyValue(random, 1), ...rest };
  return takeBody(aSignalSource('acme/any', spec), Buffer.from(JSON.stringify(payload)));
}

/** One case of each kind. @returns whether it got through @throws what must not happen */
export const INGEST_CASES: Readonly<
  Record<'signatures' | 'json' | 'form' | 'mapping', (random: Random) => boolean | Promise<boolean>>
> = {
  signatures: tryForgery,
  json: (random) => {
    const source = pick(random, JSON_SOURCES);
    return takeBody(source, anyJsonBody(random, source.type));
  },
  form: (random) => takeBody(pick(random, FORM_SOURCES), anyFormBody(random)),
  mapping: takeMapping,
};
