import type { OrbSignalSourceSpec, SourceFields, SourceMapping } from '../../../crds/orbsignalsource.ts';
import type { FieldSources, Mapping } from '../vendors/template.ts';
import { VENDORS } from '../vendors/vendors.ts';
import { OUR_STATUSES, SEVERITY_WORDS } from '../vendors/words.ts';

/** Fields of a spec as alternatives: each has one expression. */
const alternatives = (fields: SourceFields): Partial<FieldSources> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, expression]: readonly [string, string | undefined]) =>
      expression === undefined ? [] : [[name, [expression]]],
    ),
  );

/** @returns undefined when status or title is missing */
function customMapping({ items, kind = 'alert', fields = {} }: SourceMapping): Mapping | undefined {
  const { status, title } = fields;
  if (status === undefined || title === undefined) return undefined;
  return {
    ...(items === undefined ? {} : { items }),
    kind,
    statuses: OUR_STATUSES,
    severities: SEVERITY_WORDS,
    // What reports a change or a number is no trouble, unless it says so.
    otherSeverity: kind === 'change' || kind === 'analytics' ? 'info' : 'warning',
    fields: { ...alternatives(fields), status: [status], title: [title] },
  };
}

/** An expression of a source may give the words of its vendor and ours. */
function overridden(mapping: Mapping, { items, kind, fields = {} }: SourceMapping): Mapping {
  return {
    ...mapping,
    ...(items === undefined ? {} : { items }),
    ...(kind === undefined ? {} : { kind }),
    fields: { ...mapping.fields, ...alternatives(fields) },
    ...(fields.status === undefined ? {} : { statuses: { ...OUR_STATUSES, ...mapping.statuses } }),
    ...(fields.severity === undefined ? {} : { severities: { ...SEVERITY_WORDS, ...mapping.severities } }),
  };
}

/**
 * The mapping that holds: that of the type, with the expressions of the source in place of its own.
 * @returns undefined for type custom without the expressions that it needs
 */
export function mappingOf({ type, mapping = {} }: OrbSignalSourceSpec): Mapping | undefined {
  return type === 'custom' ? customMapping(mapping) : overridden(VENDORS[type].mapping, mapping);
}

const PATH = /^(payload|item)((?:[.][A-Za-z_][A-Za-z0-9_]*)+)$/;

/** `payload.alerts` → `alerts`; undefined unless it is a plain path below the payload. */
function payloadPath(expression: string): string | undefined {
  const [, root, path] = PATH.exec(expression) ?? [];
  return root === 'payload' ? path?.slice(1) : undefined;
}

/** A plain path as a reader of the payload knows it, `alerts[].fingerprint`; any other expression as it stands. */
function shown(expression: string, items: string | undefined): string {
  const [, root, path = ''] = PATH.exec(expression) ?? [];
  if (root === 'payload') return path.slice(1);
  const list = items === undefined ? undefined : payloadPath(items);
  return root === 'item' && list !== undefined ? `${list}[]${path}` : expression;
}

/** The rule that gives a fingerprint, as it is in force: what has a value first, at last the digest of the body. */
export const fingerprintRuleOf = ({ items, fields }: Mapping): string =>
  [
    ...(fields.fingerprint ?? []).map((expression) => shown(expression, items)),
    ...(fields.fingerprintText ?? []).map((expression) => `sha256(${shown(expression, items)})`),
    'sha256(body)',
  ].join(' ?? ');
