import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { listAt } from '../../core/json/members.ts';
import { at, objectAt } from './members.ts';
import { orbManifest } from './orbs.ts';
import { startProvider, type TestProvider } from './provider.ts';
import { jsonOf } from './suites.ts';
import { issue, makeCa } from './tls.ts';

/** Where the manifests of the walk send their requests. */
const ORIGIN = 'https://provider.orbs.example';
const URL_OF_PROVIDER = `${ORIGIN}/ok`;

/** Ten callers, each with ten runs, make 100 effective runs: nobody has more than the cap of 20. */
export const CALLERS = 10;
const RUNS_OF_EACH = 10;
/** Bronze by its age, 9261 by the table of trust.md §5.4: 100 of 100 runs of 10 callers. */
export const AFTER_RUNS = { tier: 'bronze', score: 92 } as const;
export const BEFORE_RUNS = { tier: 'bronze', score: 40 } as const;

/** An HTTPS provider with a certificate of a local authority, and the flags of the platform that make it `ORIGIN`. */
export async function startWalkProvider(
  folder: string,
): Promise<{ readonly provider: TestProvider; readonly flags: readonly string[] }> {
  const ca = makeCa();
  const own = issue(ca, { names: [new URL(ORIGIN).hostname] });
  const provider = await startProvider({ key: own.key, cert: own.certificate });
  const file = join(folder, 'provider-ca.pem');
  writeFileSync(file, ca.certificate);
  const flags = ['--egress-stub', `${ORIGIN}=127.0.0.1:${provider.port}`, '--egress-ca', file];
  return { provider, flags };
}

/** The manifest of a version, as JSON text. */
export const walkManifest = (orbId: string, description = 'Answers.'): string =>
  orbManifest(orbId, { url: URL_OF_PROVIDER, manifest: { description, capabilities: ['http.call'] } });

/** A suite with mock and live cases. @param orb `org.name` */
export const walkSuite = (orb: string): JsonValue =>
  jsonOf({
    format: 'orbtest/1',
    name: 'walk',
    orb,
    cases: [
      {
        id: 'returns-an-id',
        inputs: { text: 'hi' },
        responses: [{ provider: 'main', status: 200, body: { id: 'id-1' } }],
        expect: {
          status: 'completed',
          outputs: { id: { equals: 'id-1' } },
          request: { method: 'POST', url: URL_OF_PROVIDER, body: { text: 'hi' } },
        },
      },
      {
        id: 'provider-down',
        inputs: { text: 'hi' },
        responses: [{ provider: 'main', status: 503 }],
        expect: { status: 'failed', outcome: 'orb_error' },
      },
      {
        id: 'live',
        mode: 'live',
        inputs: { text: 'hi' },
        expect: { status: 'completed', outputs: { id: { equals: 'id-1' } } },
      },
    ],
  });

/** Ten runs of each caller, callers beside each other. @param execute one run of the caller with this number */
export async function runAsEach(execute: (caller: number) => Promise<void>): Promise<void> {
  const runs = async (caller: number): Promise<void> => {
    for (let count = 0; count < RUNS_OF_EACH; count += 1) await execute(caller);
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => runs(caller)));
}

/** Tier and score as one place shows them. */
interface Shown {
  readonly tier: JsonValue | undefined;
  readonly score: JsonValue | undefined;
}

const byMember = (value: JsonValue, tier: string): Shown => ({
  tier: at(value, tier),
  score: at(value, 'reputation_score'),
});

const itemWith = (list: JsonValue, name: string, value: string): JsonObject =>
  listAt(list, 'items')
    .filter(isJsonObject)
    .find((item) => item[name] === value) ?? {};

/** What the image says to a reader: `orb certified: bronze 92, as of …`. */
function shownBy(badge: string): Shown {
  const [, tier, score] = /<title>orb certified: ([a-z]+) (\d+), as of /.exec(badge) ?? [];
  return { tier, score: Number(score) };
}

/**
 * Tier and score of a version in every place that shows them.
 * @param get asks with a key that may read reputation and marketplace
 */
export async function shownEverywhere(
  get: (path: string) => Promise<Response>,
  orbId: string,
): Promise<Readonly<Record<string, Shown>>> {
  const json = async (path: string): Promise<JsonValue> => jsonOf(await (await get(path)).json());
  const name = orbId.slice(0, orbId.indexOf('@'));
  const certificate = await json(`/reputation/${orbId}/certificate`);
  return {
    profile: byMember(await json(`/reputation/${orbId}`), 'certification_tier'),
    list: byMember(itemWith(await json('/marketplace/orbs'), 'orb_id', orbId), 'certification_tier'),
    publicList: byMember(itemWith(await json('/marketplace/orbs/public'), 'name', name), 'certification_tier'),
    certificate: byMember(objectAt(certificate, 'credential', 'credentialSubject'), 'tier'),
    badge: shownBy(await (await get(`/reputation/${orbId}/badge`)).text()),
  };
}

/** The same in every place. */
export const everywhere = (shown: Shown): Readonly<Record<string, Shown>> =>
  Object.fromEntries(['profile', 'list', 'publicList', 'certificate', 'badge'].map((place) => [place, shown]));
