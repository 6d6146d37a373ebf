import { gunzipSync } from 'node:zlib';
import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import { at, isRecord, listAt, textAt } from '../../../hack/control-plane/json.ts';
import { get, type Answer, type Caller } from './request.ts';
import type { PlacedEntry } from './read-log.ts';
import { entriesOf, type Track } from './track.ts';

/** What a version and its certificate show to callers. */
export interface ShownVersion {
  /** What is missing or wrong; empty: it is listed with everything. */
  readonly lacks: readonly string[];
  /** Of its newest certificate; '' without one. */
  readonly jwt: string;
}

const EVERY_STATUS = 'active,deprecated,yanked,suspended';
/** What an evaluation must have seen. */
const EVALUATED = new Set(['publish', 'test_report', 'orb_status']);

const said = ({ status, code }: Answer): string => (code === '' ? String(status) : `${status} ${code}`);

const differs = (what: string, found: unknown, expected: unknown): readonly string[] =>
  found === expected ? [] : [`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`];

async function listLacks(caller: Caller, { version, status }: Track): Promise<readonly string[]> {
  const line = version.orbId.slice(0, version.orbId.indexOf('@'));
  const path = `/marketplace/orbs?q=${line}&status=${EVERY_STATUS}&limit=100`;
  const items = listAt((await get(caller, path)).body, 'items').filter((item) => at(item, 'orb_id') === version.orbId);
  if (items.length !== 1) return [`it is listed ${items.length} times`];
  return [
    ...differs('its listed status', at(items[0], 'status'), status),
    ...differs('its listed digest', at(items[0], 'manifest_digest'), version.digest),
  ];
}

async function manifestLacks({ url }: Caller, { version }: Track): Promise<readonly string[]> {
  const answer = await get({ url, key: null }, `/manifests/${version.digest}`);
  if (answer.status !== 200) return [`its manifest is not public: ${said(answer)}`];
  return differs('the digest of its public manifest', `sha256:${sha256Hex(answer.text)}`, version.digest);
}

async function testLacks({ url }: Caller, { version }: Track, own: readonly PlacedEntry[]): Promise<readonly string[]> {
  const answer = await get({ url, key: null }, `/marketplace/orbs/${version.orbId}/test-result`);
  const newest = own.findLast(({ entry }) => entry.kind === 'test_report')?.index;
  if (answer.status !== 200) return [`its test result is not public: ${said(answer)}`];
  return differs('the log index of its test result', at(answer.body, 'log', 'index'), newest);
}

async function profileLacks(
  caller: Caller,
  { version }: Track,
  own: readonly PlacedEntry[],
): Promise<readonly string[]> {
  const answer = await get(caller, `/reputation/${version.orbId}`);
  if (answer.status !== 200) return [`its profile: ${said(answer)}`];
  const newest = own.findLast(({ entry }) => EVALUATED.has(entry.kind));
  const size = Number(at(answer.body, 'computed_over', 'tree_size') ?? 0);
  const isNew = newest === undefined || size > newest.index;
  return [
    ...differs('its tier', at(answer.body, 'certification_tier'), 'bronze'),
    ...(isNew
      ? []
      : [`its evaluation over ${size} entries has not seen the ${newest.entry.kind} entry ${newest.index}`]),
  ];
}

/** The bit of a certificate in its public status list; undefined: there is no such list. */
async function statusBit({ url }: Caller, credential: unknown): Promise<boolean | undefined> {
  const list = textAt(credential, 'credentialStatus', 'statusListCredential');
  const index = Number(textAt(credential, 'credentialStatus', 'statusListIndex'));
  const answer = await get({ url, key: null }, new URL(list).pathname);
  if (answer.status !== 200) return undefined;
  const payload: unknown = JSON.parse(Buffer.from(answer.text.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const bits = gunzipSync(Buffer.from(textAt(payload, 'credentialSubject', 'encodedList').slice(1), 'base64url'));
  return ((bits[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0;
}

async function certificateLacks(caller: Caller, track: Track, own: readonly PlacedEntry[]): Promise<ShownVersion> {
  const { version, status } = track;
  const answer = await get(caller, `/reputation/${version.orbId}/certificate`);
  if (answer.status !== 200) return { lacks: [`its certificate: ${said(answer)}`], jwt: '' };
  const credential = at(answer.body, 'credential');
  const jwt = textAt(answer.body, 'jwt');
  const logged = own.findLast(({ entry }) => entry.kind === 'certificate')?.entry;
  const isYanked = status === 'yanked';
  const lacks = [
    ...differs('its certificate', at(answer.body, 'status'), isYanked ? 'revoked' : 'active'),
    ...differs('the tier of its certificate', at(credential, 'credentialSubject', 'tier'), 'bronze'),
    ...differs(
      'the SHA-256 of its certificate',
      sha256Hex(jwt),
      logged?.kind === 'certificate' ? logged.certificate_sha256 : undefined,
    ),
    ...(isRecord(credential)
      ? differs('its bit in the status list', await statusBit(caller, credential), isYanked)
      : []),
    ...(isYanked ? [] : differs('the verdict on its certificate', at(answer.body, 'verification', 'verdict'), 'valid')),
  ];
  return { lacks, jwt };
}

/**
 * Whether a version is listed with its entries, its public manifest, its evaluation and its certificate (trust.md §8).
 * @param entries the log, up to its newest checkpoint
 */
export async function shownVersion(
  caller: Caller,
  track: Track,
  entries: readonly PlacedEntry[],
): Promise<ShownVersion> {
  const own = entriesOf(track, entries);
  const kinds = new Set<string>(own.map(({ entry }) => entry.kind));
  const missing = ['publish', 'test_report', 'certificate'].filter((kind) => !kinds.has(kind));
  const certificate = await certificateLacks(caller, track, own);
  const lacks = [
    ...missing.map((kind) => `the log has no ${kind} entry of it`),
    ...(await listLacks(caller, track)),
    ...(await manifestLacks(caller, track)),
    ...(await testLacks(caller, track, own)),
    ...(await profileLacks(caller, track, own)),
    ...certificate.lacks,
  ];
  return { lacks, jwt: certificate.jwt };
}

/** What is there of a version that must be nowhere. */
export async function tracesOf(
  caller: Caller,
  track: Track,
  entries: readonly PlacedEntry[],
): Promise<readonly string[]> {
  const { orbId } = track.version;
  const logged = entriesOf(track, entries).filter(({ entry }) => entry.kind !== 'audit');
  const profile = await get(caller, `/reputation/${orbId}`);
  return [
    ...logged.map(({ index, entry }) => `${orbId} is not published and has the ${entry.kind} entry ${index}`),
    ...(profile.code === 'orb-not-published' ? [] : [`${orbId} is not published and has a profile: ${said(profile)}`]),
  ];
}
