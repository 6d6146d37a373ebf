import type { Ledger } from '../../adapters/ledger/port.ts';
import { isDigest } from '../../core/json/digest.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { readEntry } from '../../core/log-entry/entry.ts';
import type { ListedOrb, Standing } from '../../core/publication/listed-orb.ts';
import { readStanding } from './stored-evaluation.ts';

/** Where published versions are read from. */
export type ListingRows = Pick<Ledger, 'publications' | 'orgs' | 'evaluations' | 'publicManifest' | 'statusEntries'>;

/** Row of a published version. */
export type Publication = Awaited<ReturnType<Ledger['publications']>>[number];

/** What a version keeps in memory of its newest evaluation. */
export interface Evaluated {
  readonly orbId: string;
  readonly standing: Standing;
  /** The held tier as it was stored. */
  readonly held: string;
  /** Entries of the log that it read. */
  readonly treeSize: number;
  /** ms since epoch */
  readonly evaluatedAt: number;
  readonly change: number;
}

/** A publication with what the lists show of its manifest, which is read once. */
export interface ReadPublication {
  readonly row: Publication;
  readonly shown: Shown;
  readonly deprecatedAt: number | undefined;
}

/** What the lists show of a manifest. */
export type Shown = Pick<ListedOrb, 'description' | 'provider' | 'capabilities'>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function shownOf(manifest: JsonObject): Shown {
  const { description, provider, capabilities } = manifest;
  return {
    description: textOf(description),
    provider: textOf(provider),
    capabilities: Array.isArray(capabilities) ? capabilities.filter((one) => typeof one === 'string') : [],
  };
}

/** All rows that were written after a change, page by page. */
export async function pages<T extends { readonly change: number }>(
  read: (after: number) => Promise<readonly T[]>,
  after: number,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let page = await read(after); page.length > 0; page = await read(page.at(-1)?.change ?? after))
    all.push(...page);
  return all;
}

/** When a version was deprecated stands in the log alone, ms since epoch. */
async function deprecatedSince(ledger: ListingRows, { orbId, status }: Publication): Promise<number | undefined> {
  if (status !== 'deprecated') return undefined;
  const [newest] = await ledger.statusEntries(orbId, 1);
  const entry = newest && readEntry(newest.entry);
  return entry?.kind === 'orb_status' && entry.status === 'deprecated' ? Date.parse(entry.at) : undefined;
}

async function manifestOf(ledger: ListingRows, digest: string): Promise<Shown> {
  const text = isDigest(digest) ? await ledger.publicManifest(digest) : undefined;
  const manifest: unknown = text === undefined ? {} : JSON.parse(text);
  return shownOf(isJsonObject(manifest) ? manifest : {});
}

/** Profiles are large: of each only its few members are kept while further ones are read. */
export function readEvaluations(ledger: ListingRows, change: number): Promise<readonly Evaluated[]> {
  const read = async (after: number): Promise<readonly Evaluated[]> =>
    (await ledger.evaluations(after)).map(({ orbId, profile, held, treeSize, change: written }) => ({
      ...readStanding(profile),
      orbId,
      held,
      treeSize,
      change: written,
    }));
  return pages(read, change);
}

/**
 * Reads the rows that were written after `change`, with what is shown of their manifests.
 * @param known what is shown of a manifest that was read before, by version
 */
export async function readPublications(
  ledger: ListingRows,
  change: number,
  known: ReadonlyMap<string, Shown>,
): Promise<readonly ReadPublication[]> {
  const rows = await pages((after) => ledger.publications(after), change);
  const read: ReadPublication[] = [];
  for (const row of rows) {
    const shown = known.get(row.orbId) ?? (await manifestOf(ledger, row.manifestDigest));
    read.push({ row, shown, deprecatedAt: await deprecatedSince(ledger, row) });
  }
  return read;
}
