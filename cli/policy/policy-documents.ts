import { OWN_KINDS } from '../../crds/kinds.ts';
import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { nearestName } from '../../core/manifest/nearest.ts';

/** An object that says it is a policy, and where it stands in its document. */
interface PolicyDocument {
  readonly value: JsonValue;
  readonly pointer: string;
}

/** What a document holds: policies, or a kind of this platform that does not exist. */
export interface FoundPolicies {
  readonly policies: readonly PolicyDocument[];
  readonly findings: readonly Finding[];
}

const NOTHING: FoundPolicies = { policies: [], findings: [] };

// What `kubectl get opol -o yaml` prints.
const LISTS = ['List', 'OrbPolicyList'];
const KINDS = [...Object.values(OWN_KINDS).map(({ kind }) => kind), 'OrbPolicyList'];

/** A misspelt kind: otherwise its policy would be skipped like any other object. */
function unknownKind(kind: string, pointer: string): FoundPolicies {
  const suggestion = nearestName(kind, KINDS);
  const meant = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
  const detail = `orbs.dev has no such kind.${meant}`;
  return {
    policies: [],
    findings: [{ code: 'document-unknown', pointer: `${pointer}/kind`, detail, severity: 'error' }],
  };
}

function inItems(items: readonly JsonValue[]): FoundPolicies {
  const found = items.map((item, index) => inObject(item, `/items/${index}`));
  return { policies: found.flatMap(({ policies }) => policies), findings: found.flatMap(({ findings }) => findings) };
}

function inObject(value: JsonValue, pointer: string): FoundPolicies {
  if (!isJsonObject(value) || typeof value['kind'] !== 'string') return NOTHING;
  const { kind, apiVersion } = value;
  if (kind === 'OrbPolicy') return { policies: [{ value, pointer }], findings: [] };
  const isOwn = typeof apiVersion === 'string' && apiVersion.startsWith('orbs.dev/');
  return isOwn && !KINDS.includes(kind) ? unknownKind(kind, pointer) : NOTHING;
}

/** The policies of one document, also of a list; objects of other kinds are left out. */
export function policiesOf(document: JsonValue): FoundPolicies {
  const { kind, items } = isJsonObject(document) ? document : {};
  const isList = typeof kind === 'string' && LISTS.includes(kind) && Array.isArray(items);
  return isList ? inItems(items) : inObject(document, '');
}
