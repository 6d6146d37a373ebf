import type { OrbisetSpec } from '../../crds/orbiset.ts';
import type { MissingEntry } from '../../crds/status.ts';
import type { Finding } from '../manifest/finding.ts';
import { policiesOf, type OrbisetPolicies } from '../manifest/policies.ts';
import { createRedactor } from '../redaction/create-redactor.ts';
import type { CompiledOrbiset, VaultEntry } from './orbiset.ts';

/** Sources of an Orbiset: its document, the Secrets of its namespace by name, and entries from elsewhere. */
export interface OrbisetSources {
  readonly namespace: string;
  readonly name: string;
  readonly spec: OrbisetSpec;
  /** True: what the object says about policies can't be read, so the spec does not hold it; false when absent. */
  readonly hasUnreadablePolicies?: boolean;
  /** Labels of the object; none when absent. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Data of a Secret of the same namespace: key → bytes. Undefined when the Secret does not exist. */
  readonly secret: (name: string) => ReadonlyMap<string, Uint8Array> | 'forbidden' | undefined;
  /** Entries that no Secret holds: standalone's `orb secrets set`. They never replace an entry of the document. */
  readonly extra: readonly VaultEntry[];
}

/** State of an Orbiset's vault: names, never values. */
export interface VaultReport {
  /** Entries that exist, sorted. */
  readonly entries: readonly string[];
  /** Entries that are bound but missing, sorted. */
  readonly missing: readonly MissingEntry[];
  /** Entries whose trailing newline is not sent. */
  readonly trimmed: readonly string[];
  /** Entries that can't be redacted from answers. */
  readonly unscrubbable: readonly string[];
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

/** Entry name → key in the Secret. `keys` absent: all keys; a list: only these; a map: entry → key. */
function entryKeys(binding: Binding, data: ReadonlyMap<string, Uint8Array>): readonly (readonly [string, string])[] {
  const { keys } = binding;
  if (keys === undefined) return [...data.keys()].map((key) => [key, key] as const);
  return Array.isArray(keys) ? keys.map((key) => [key, key] as const) : Object.entries(keys);
}

interface Found {
  readonly entry: VaultEntry;
  readonly secret: string;
  readonly pointer: string;
}

/** Notes made while an Orbiset is compiled: text for people, and names for the status. */
interface Notes {
  readonly report: (finding: Finding) => void;
  readonly missing: MissingEntry[];
  readonly trimmed: string[];
}

/** Reports why the whole of a bound Secret is missing. */
function unreadSecret(
  { namespace }: OrbisetSources,
  secret: string,
  why: 'forbidden' | undefined,
): Pick<Finding, 'code' | 'detail'> & Pick<MissingEntry, 'reason'> {
  return why === 'forbidden'
    ? {
        code: 'secret-forbidden',
        reason: 'Forbidden',
        detail: `The API may not read the Secret ${secret} of the namespace ${namespace} yet.`,
      }
    : {
        code: 'secret-not-found',
        reason: 'SecretNotFound',
        detail: `There is no Secret ${secret} in the namespace ${namespace}.`,
      };
}

/** Entries of one bound Secret. Missing and odd entries are reported by name; values are never shown. */
function readBinding(
  sources: OrbisetSources,
  binding: Binding,
  index: number,
  { report, missing, trimmed }: Notes,
): readonly Found[] {
  const pointer = `/spec/vault/secrets/${index}`;
  const data = sources.secret(binding.name);
  if (data === undefined || data === 'forbidden') {
    const { code, reason, detail } = unreadSecret(sources, binding.name, data);
    missing.push({ secret: binding.name, reason });
    report(warning(code, pointer, detail));
    return [];
  }
  return entryKeys(binding, data).flatMap(([name, key]) => {
    const raw = data.get(key);
    if (raw === undefined || !isUtf8(raw)) {
      missing.push({ secret: binding.name, entry: name, reason: 'KeyMissing' });
      report(warning('secret-key-missing', pointer, `The Secret ${binding.name} has no UTF-8 value under ${key}.`));
      return [];
    }
    const { value, trimmed: isTrimmed } = trimNewline(raw);
    if (isTrimmed) {
      trimmed.push(name);
      report(warning('trailing-newline', pointer, `One trailing newline of the entry ${name} is not sent.`));
    }
    const allowedHosts = binding.allowedHosts.map((host) => host.toLowerCase().replace(/\.$/, ''));
    return [{ entry: { name, value, allowedHosts }, secret: binding.name, pointer }];
  });
}

/** An entry that two Secrets give counts as missing, because it is ambiguous (security.md §6.1). */
function withoutDuplicates(found: readonly Found[], { report, missing }: Notes): Map<string, VaultEntry> {
  const vault = new Map<string, VaultEntry>();
  const seen = new Map<string, string>();
  for (const { entry, secret, pointer } of found) {
    const first = seen.get(entry.name);
    if (first !== undefined) {
      if (vault.delete(entry.name)) missing.push({ secret: first, entry: entry.name, reason: 'DuplicateEntry' });
      missing.push({ secret, entry: entry.name, reason: 'DuplicateEntry' });
      report(
        warning('duplicate-entry', pointer, `The entry ${entry.name} comes from two Secrets; it counts as missing.`),
      );
    } else vault.set(entry.name, entry);
    seen.set(entry.name, secret);
  }
  return vault;
}

/** Of an Orbiset whose policies can't be read: no run of it starts, and a mistake elsewhere must not start one. */
const STRICTEST_POLICIES: OrbisetPolicies = { defaultEffect: 'deny', requireReady: true };

function policySettings({
  spec,
  hasUnreadablePolicies = false,
}: OrbisetSources): Pick<CompiledOrbiset, 'policies' | 'hasUnreadablePolicies'> {
  const policies = hasUnreadablePolicies ? undefined : policiesOf(spec);
  return { policies: policies ?? STRICTEST_POLICIES, hasUnreadablePolicies: policies === undefined };
}

function limitsOf(spec: OrbisetSpec): CompiledOrbiset['limits'] {
  const limits = spec.limits ?? {};
  return {
    ...(limits.rate_per_second === undefined ? {} : { ratePerSecond: limits.rate_per_second }),
    ...(limits.in_flight === undefined ? {} : { inFlight: limits.in_flight }),
    ...(limits.timeout_ms === undefined ? {} : { timeoutMs: limits.timeout_ms }),
    ...(limits.request_bytes === undefined ? {} : { requestBytes: limits.request_bytes }),
  };
}

function byPlace(one: MissingEntry, other: MissingEntry): number {
  const [a, b] = [`${one.secret} ${one.entry ?? ''}`, `${other.secret} ${other.entry ?? ''}`];
  return a < b ? -1 : Number(a > b);
}

/** Compiles an Orbiset with its vault. Findings name entries, never values. */
export function compileOrbiset(sources: OrbisetSources): {
  readonly orbiset: CompiledOrbiset;
  readonly findings: readonly Finding[];
  readonly report: VaultReport;
} {
  const findings: Finding[] = [];
  const report = (finding: Finding): void => void findings.push(finding);
  const notes: Notes = { report, missing: [], trimmed: [] };
  const bindings = sources.spec.vault?.secrets ?? [];
  const found = bindings.flatMap((binding, index) => readBinding(sources, binding, index, notes));
  const vault = withoutDuplicates(found, notes);
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
  const { namespace, name, spec, labels = {} } = sources;
  const orbiset = {
    namespace,
    name,
    fullName: `${namespace}.${name}`,
    suspended: spec.suspended ?? false,
    ...policySettings(sources),
    labels,
    vault,
    orbs: spec.orbs ?? [],
    limits: limitsOf(spec),
    redactor,
  };
  const vaultReport = {
    entries: [...vault.keys()].toSorted(),
    missing: notes.missing.toSorted(byPlace),
    trimmed: notes.trimmed.toSorted(),
    unscrubbable: redactor.unscrubbable.toSorted(),
  };
  return { orbiset, findings, report: vaultReport };
}
