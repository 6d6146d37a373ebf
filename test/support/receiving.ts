import type { Ledger } from '../../adapters/ledger/port.ts';
import type { SourceIndex } from '../../api-server/ingestion/source-index.ts';
import type { SignalSource } from '../../api-server/ingestion/source.ts';
import { receiveRoutes } from '../../api-server/services/ingestion/receive-routes.ts';
import { compileSource, type CompiledSource } from '../../core/ingestion/source/compile-source.ts';
import { encodeUtf8 } from '../../core/json/bytes.ts';
import type { OrbSignalSourceSpec } from '../../crds/orbsignalsource.ts';
import { anIntake } from './an-intake.ts';
import { aClock, startApp, type TestApp } from './api-app.ts';
import { openSqliteFixture, type SqliteFixture } from './sqlite-ledger.ts';
import type { Registry } from 'prom-client';
import type { Intake } from '../../api-server/ingestion/receive.ts';
import type { IngestLimits } from '../../api-server/ingestion/source-rates.ts';

export const SOURCE_ID = 'src_k3n0q7w2v5t9x1c4b6m8z0d2fa';

type SourceChanges = Partial<Omit<CompiledSource, 'limits'>> & {
  readonly limits?: Partial<CompiledSource['limits']>;
  readonly sourceId?: string;
  readonly name?: string;
};

const CUSTOM = { fields: { status: '"info"', title: '"a title"' } };

/** A source of `acme` as its feed would give it. @param secrets values, in the order of `secretRefs` */
export function aSource(
  type: OrbSignalSourceSpec['type'],
  secrets: readonly string[] | 'unreadable',
  { limits, sourceId = SOURCE_ID, name = type.toLowerCase(), ...some }: SourceChanges = {},
): SignalSource {
  const auth = { secretRefs: [{ name: 'hook', key: 'current' }] };
  const custom = { mapping: CUSTOM, auth: { ...auth, scheme: 'hmac', signatureHeader: 'X-Signature' } } as const;
  const compiled = compileSource({ type, auth, mode: 'Active', ...(type === 'custom' ? custom : {}) }, false);
  if (!compiled.ok) throw new TypeError(JSON.stringify(compiled.findings));
  const { source } = compiled;
  return {
    ...source,
    ...some,
    limits: { ...source.limits, ...limits },
    namespace: 'acme',
    name,
    uid: `uid-${name}`,
    generation: 1,
    sourceId,
    secrets:
      secrets === 'unreadable'
        ? { kind: 'unreadable', secret: 'hook', key: 'current' }
        : { kind: 'readable', values: secrets.map(encodeUtf8) },
  };
}

/** The routes of vendors over HTTP, with a ledger. */
export interface Receiving {
  readonly app: TestApp;
  readonly sources: SourceIndex;
  readonly fixture: SqliteFixture;
  readonly intake: Intake;
  readonly registry: Registry;
  /** What all metrics of this name and these labels add up to. */
  readonly metric: (name: string, labels?: Readonly<Record<string, string>>) => Promise<number>;
  /** Sets the time of the process. */
  readonly setTime: (now: number) => void;
  readonly close: () => Promise<void>;
}

export async function openReceiving(
  sources: SourceIndex,
  {
    acceptDelivery,
    ...some
  }: Partial<Intake> & Partial<Pick<Ledger, 'acceptDelivery'>> & { readonly limits?: IngestLimits } = {},
): Promise<Receiving> {
  const fixture = await openSqliteFixture();
  const { intake, registry } = anIntake(some);
  const standing = aClock();
  let now = standing.now();
  const clock = { ...standing, now: () => now };
  const { options } = fixture;
  const ledger = acceptDelivery === undefined ? fixture.ledger : { acceptDelivery };
  const app = await startApp(receiveRoutes({ sources, ledger, clock, random: options.random, intake }), { clock });
  const metric: Receiving['metric'] = async (name, labels = {}) => {
    const found = (await registry.getMetricsAsJSON()).find((each) => each.name === name);
    return (found?.values ?? [])
      .filter((value) => Object.entries(labels).every(([label, text]) => value.labels[label] === text))
      .reduce((sum, { value }) => sum + value, 0);
  };
  const close = async (): Promise<void> => {
    await app.close();
    await fixture.dispose();
  };
  return { app, sources, fixture, intake, registry, metric, setTime: (time) => (now = time), close };
}
