import { parse, stringify } from 'yaml';
import { isJsonObject } from '../../core/json/json-value.ts';
import { replacePrivate } from '../private-file/private-file.ts';
import { readIfExists } from '../private-file/read-if-exists.ts';

/** One secret of standalone's vault, as `orb secrets set` stored it. */
export interface StoredSecret {
  /** `[A-Za-z0-9._-]{1,253}`, unique in its file. */
  readonly name: string;
  /** UTF-8, 1 byte to 1 MiB. */
  readonly value: Uint8Array;
  /** Hosts that it may be sent to: exact hosts, `*.suffix`, or `*`; at least one (security.md S1). */
  readonly hosts: readonly string[];
}

/** The file does not have the form that `writeVaultFile` writes. The message names place and rule, never a value. */
export class VaultFileError extends Error {
  readonly code = 'vault-file-invalid';
}

const NAME = /^[A-Za-z0-9._-]{1,253}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const MEMBERS = new Set(['name', 'value_b64', 'hosts']);
const MAX_VALUE_BYTES = 1024 * 1024;
const HEAD =
  '# Secrets of one Orbiset: written by `orb secrets`, read by `npm start`. Values are base64, not encrypted.\n';

type Report = (pointer: string, rule: string) => VaultFileError;

const isHosts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((host) => typeof host === 'string' && host !== '');

function readName(value: unknown, pointer: string, report: Report): string {
  if (typeof value !== 'string' || !NAME.test(value)) throw report(`${pointer}/name`, 'is no name of an entry');
  return value;
}

function readValue(value: unknown, pointer: string, report: Report): Uint8Array {
  if (typeof value !== 'string' || !BASE64.test(value)) throw report(`${pointer}/value_b64`, 'is not base64');
  const bytes = Buffer.from(value, 'base64');
  if (bytes.length === 0 || bytes.length > MAX_VALUE_BYTES)
    throw report(`${pointer}/value_b64`, 'is empty or larger than 1 MiB');
  return bytes;
}

function readEntry(value: unknown, pointer: string, report: Report): StoredSecret {
  if (!isJsonObject(value)) throw report(pointer, 'is not an object');
  if (Object.keys(value).some((member) => !MEMBERS.has(member)))
    throw report(pointer, 'has a member that is not known');
  const { hosts } = value;
  if (!isHosts(hosts)) throw report(`${pointer}/hosts`, 'is not a list of hosts');
  return {
    name: readName(value['name'], pointer, report),
    value: readValue(value['value_b64'], pointer, report),
    hosts,
  };
}

function parseYaml(text: string, report: Report): unknown {
  try {
    // Messages and warnings of the parser quote the text, so they are not passed on. (At `silent` it would let errors
    // pass.)
    return parse(text, { prettyErrors: false, logLevel: 'error', maxAliasCount: 0 });
  } catch {
    throw report('', 'is not YAML');
  }
}

function parseVault(text: string, report: Report): readonly StoredSecret[] {
  const document = parseYaml(text, report);
  const list = isJsonObject(document) && Object.keys(document).length === 1 ? document['entries'] : undefined;
  if (!Array.isArray(list)) throw report('', 'is not {entries: […]}');
  const entries = list.map((entry, index) => readEntry(entry, `/entries/${index}`, report));
  if (new Set(entries.map(({ name }) => name)).size !== entries.length)
    throw report('/entries', 'names an entry twice');
  return entries;
}

/**
 * Reads `--data/vault/<namespace>.<orbiset>.yaml`.
 * @returns its entries; empty when the file does not exist
 * @throws VaultFileError the file does not have the form that `writeVaultFile` writes
 */
export async function readVaultFile(path: string): Promise<readonly StoredSecret[]> {
  const text = await readIfExists(path);
  if (text === undefined) return [];
  return parseVault(text, (pointer, rule) => new VaultFileError(`${path}: ${pointer === '' ? 'it' : pointer} ${rule}`));
}

/**
 * Replaces the file, mode 0600, durably; a reader sees the old or the new content. Entries are sorted by name.
 * @throws VaultFileError an entry breaks a rule of `StoredSecret`: the file is not changed
 */
export async function writeVaultFile(path: string, entries: readonly StoredSecret[]): Promise<void> {
  const sorted = entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const list = sorted.map(({ name, value, hosts }) => ({
    name,
    value_b64: Buffer.from(value).toString('base64'),
    hosts: [...hosts],
  }));
  const text =
    HEAD +
    stringify(
      { entries: list },
      { lineWidth: 0, version: '1.2', defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' },
    );
  parseVault(text, (pointer, rule) => new VaultFileError(`${pointer === '' ? 'the list' : pointer} ${rule}`));
  await replacePrivate(path, text);
}
