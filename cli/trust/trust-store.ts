import { withFileLock } from '../../adapters/private-file/file-lock.ts';
import { replacePrivate } from '../../adapters/private-file/private-file.ts';
import { readIfExists } from '../../adapters/private-file/read-if-exists.ts';
import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import type { Root } from '../../core/verify/keys.ts';
import { invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { jsonText } from '../io/output.ts';
import { parseJson, rootOf } from './root-key.ts';
import { trustFile } from './trust-file.ts';

/** One issuer whose receipts are trusted, and the reason (trust.md §3.1). */
export interface Pin {
  readonly root: Root;
  /** Highest `sequence` of its keys document seen so far; 0 before the first. A lower sequence is refused. */
  readonly sequence: number;
  /** ISO 8601 UTC. */
  readonly addedAt: string;
}

export type Pins = ReadonlyMap<string, Pin>;

const FORMAT = 'orb-trust/1';

function pinOf(value: JsonValue, what: string): Pin {
  const { root, sequence, added_at: addedAt } = isJsonObject(value) ? value : {};
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence < 0 || typeof addedAt !== 'string') {
    throw invalid(`${what} is damaged; pin the root again with orb trust add`);
  }
  return { root: rootOf(root, what), sequence, addedAt };
}

function parsePins(text: string, path: string): Pins {
  const value = parseJson(text);
  const { format, issuers } = isJsonObject(value) ? value : {};
  if (format !== FORMAT || !isJsonObject(issuers))
    throw invalid(`${path} is no trust store of this version; move it away and pin the roots again`);
  return new Map(Object.entries(issuers).map(([issuer, pin]) => [issuer, pinOf(pin, `${path}: ${issuer}`)]));
}

/** Every pinned issuer; empty without a trust store. @throws Failure the file is damaged: nothing is trusted then */
export async function readPins(io: Pick<Io, 'env' | 'home'>): Promise<Pins> {
  const path = trustFile(io);
  const text = await readIfExists(path);
  return text === undefined ? new Map() : parsePins(text, path);
}

function textOf(pins: Pins): string {
  const issuers: Record<string, JsonValue> = {};
  for (const [issuer, { root, sequence, addedAt }] of [...pins].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    issuers[issuer] = { root: { ...root.jwk }, kid: root.kid, sequence, added_at: addedAt };
  }
  return `${jsonText({ format: FORMAT, issuers })}\n`;
}

/** Changes one pin under a lock between processes. `change` gets the stored pin and returns the new pin, if any. */
async function changePin(io: Io, issuer: string, change: (known: Pin | undefined) => Pin | undefined): Promise<void> {
  const path = trustFile(io);
  await withFileLock(path, io.clock, io.signal, async () => {
    const pins = await readPins(io);
    const next = change(pins.get(issuer));
    if (next !== undefined) await replacePrivate(path, textOf(new Map([...pins, [issuer, next]])));
  });
}

/**
 * Pins a root.
 * @returns `refused`: another root is pinned, and `replace` was not given
 */
export async function pinRoot(
  io: Io,
  issuer: string,
  root: Root,
  replace: boolean,
): Promise<'pinned' | 'known' | 'refused'> {
  let outcome: 'pinned' | 'known' | 'refused' = 'pinned';
  await changePin(io, issuer, (known) => {
    if (known?.root.kid === root.kid) outcome = 'known';
    else if (known !== undefined && !replace) outcome = 'refused';
    return outcome === 'pinned' ? { root, sequence: 0, addedAt: new Date(io.clock.now()).toISOString() } : undefined;
  });
  return outcome;
}

/** Remembers a keys document that the pinned root signed; a lower sequence never replaces a higher one. */
export async function rememberSequence(io: Io, issuer: string, root: Root, sequence: number): Promise<void> {
  await changePin(io, issuer, (known) =>
    known === undefined || known.root.kid !== root.kid || known.sequence >= sequence
      ? undefined
      : { ...known, sequence },
  );
}
