import type { OrbisetSpec } from '../../crds/orbiset.ts';
import type { Finding } from '../manifest/finding.ts';
import { createRedactor } from '../redaction/create-redactor.ts';
import type { CompiledOrbiset, VaultEntry } from './orbiset.ts';

/** What an Orbiset is made from: its document, the Secrets of its namespace by name, entries from elsewhere. */
export interface OrbisetSources {
  readonly namespace: string;
  readonly name: string;
  readonly spec: OrbisetSpec;
  /** Data of a Secret of the same namespace: key → bytes; undefined when there is no such Secret. */
  readonly secret: (name: string) => ReadonlyMap<string, Uint8Array> | undefined;
  /** Entries that no Secret holds: standalone's `orb secrets set`. They never replace one of the document. */
  readonly extra: readonly VaultEntry[];
}

type Binding = NonNullable<NonNullable<OrbisetSpec['vault']>['secrets']>[number];

const CR = 0x0d;
const LF = 0x0a;

/** One trailing newline removed (security.md §4.1): editors and `echo` add it. */
function trimNewline(value: Uint8Array): { readonly value: Uint8Array; readonly trimmed: boolean } {
  if (value.at(-1) !== LF) return { value, trimmed: false };
  return { value: value.subarray(0, value.at(-2) === CR ? -2 : -1), trimmed: true };
}

const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
};

const warning = (code: string, pointer: string, detail: string): Finding => ({
  code,
  pointer,
  detail,
  severity: 'warning',
});

/** Entry name → key in the Secret; `keys` absent = all keys, a list = those, a map = entry → key. */
function entryKeys(binding: Binding, data: ReadonlyMap<string, Uint8Array>): readonly (readonly [string, string])[] {
  const { keys } = binding;
  if (keys === undefined) return [...data.keys()].map((key) => [key, key] as const);
  return Array.isArray(keys) ? keys.map((key) => [key, key] as const) : Object.entries(keys);
}

interface Found {
  readonly entry: VaultEntry;
  readonly pointer: string;
}

/** Entries of one bound Secret; what is missing or odd is said, never shown. */
function readBinding(
  sources: OrbisetSources,
  binding: Binding,
  index: number,
  report: (finding: Finding) => void,
): readonly Found[] {
  const pointer = `/spec/vault/secrets/${index}`;
  const data = sources.secret(binding.name);
  if (data === undefined) {
    report(
      warning('secret-not-found', pointer, `There is no Secret ${binding.name} in the namespace ${sources.namespace}.`),
    );
    return [];
  }
  return entryKeys(binding, data).flatMap(([name, key]) => {
    const raw = data.get(key);
    if (raw === undefined || !isUtf8(raw)) {
      report(warning('secret-key-missing', pointer, `The Secret ${binding.name} has no UTF-8 value under ${key}.`));
      return [];
    }
    const { value, trimmed } = trimNewline(raw);
    if (trimmed) report(warning('trailing-newline', pointer, `One trailing newline of the entry ${name} is not sent.`));
    const allowedHosts = binding.allowedHosts.map((host) => host.toLowerCase().replace(/\.$/, ''));
    return [{ entry: { name, value, allowedHosts }, pointer }];
  });
}

/** An entry that two Secrets give is missing: nobody knows which one is meant (security.md §6.1). */
function withoutDuplicates(found: readonly Found[], report: (finding: Finding) => void): Map<string, VaultEntry> {
  const vault = new Map<string, VaultEntry>();
  const seen = new Set<string>();
  for (const { entry, pointer } of found) {
    if (seen.has(entry.name)) {
      vault.delete(entry.name);
      report(
        warning('duplicate-entry', pointer, `The entry ${entry.name} comes from two Secrets; it counts as missing.`),
      );
    } else vault.set(entry.name, entry);
    seen.add(entry.name);
  }
  return vault;
}

function limitsOf(spec: OrbisetSpec): CompiledOrbiset['limits'] {
  const limits = spec.limits ?? {};
  return {
    ...(limits.in_flight === undefined ? {} : { inFlight: limits.in_flight }),
    ...(limits.timeout_ms === undefined ? {} : { timeoutMs: limits.timeout_ms }),
    ...(limits.request_bytes === undefined ? {} : { requestBytes: limits.request_bytes }),
  };
}

/** Compiles an Orbiset with its vault. Findings name entries, never values. */
export function compileOrbiset(sources: OrbisetSources): {
  readonly orbiset: CompiledOrbiset;
  readonly findings: readonly Finding[];
} {
  const findings: Finding[] = [];
  const report = (finding: Finding): void => void findings.push(finding);
  const bindings = sources.spec.vault?.secrets ?? [];
  const found = bindings.flatMap((binding, index) => readBinding(sources, binding, index, report));
  const vault = withoutDuplicates(found, report);
  const bound = new Set(found.map(({ entry }) => entry.name));
  for (const entry of sources.extra) if (!bound.has(entry.name)) vault.set(entry.name, entry);
  const redactor = createRedactor([...vault.values()]);
  for (const name of redactor.unscrubbable) {
    report(
      warning(
        'unscrubbable-secret',
        '/spec/vault',
        `The entry ${name} is shorter than 8 bytes or too long: it can't be redacted from answers.`,
      ),
    );
  }
  const { namespace, name, spec } = sources;
  const orbiset = {
    namespace,
    name,
    suspended: spec.suspended ?? false,
    vault,
    orbs: spec.orbs ?? [],
    limits: limitsOf(spec),
    redactor,
  };
  return { orbiset, findings };
}
