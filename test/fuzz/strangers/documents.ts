import { isDeepStrictEqual } from 'node:util';
import { parseContent } from '../../../adapters/manifest-folder/read-folder.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { parsePointer } from '../../../core/json/pointer.ts';
import { checkDocument } from '../../../core/manifest/documents.ts';
import type { Finding } from '../../../core/manifest/finding.ts';
import { parseDocuments } from '../../../core/manifest/parse-text.ts';
import { compileDocument } from '../../../core/policy/document/compile-document.ts';
import { CEL_ENGINE } from '../../../core/policy/language/cel-engine.ts';
import { mail } from '../../unit/core/manifest/a-manifest.ts';
import { anyValue } from '../ingestion/bodies.ts';
import { mutated, pick, type Random } from '../ingestion/random.ts';
import { changedIn } from './changed.ts';

const LONGEST_DETAIL = 4096;
const NOW = Date.parse('2026-11-20T10:00:00Z');

/** @throws Error a finding can't be shown, or repeats what a stranger wrote at length */
export function checkFindings(findings: readonly Finding[]): void {
  for (const { pointer, detail } of findings) {
    if (parsePointer(pointer) === undefined) throw new Error(`a finding has the pointer ${pointer}`);
    if (detail.length >= LONGEST_DETAIL) throw new Error('a finding repeats a long text');
  }
}

const CONDITIONS = [
  'orb.score < 50',
  'orb.hosts.exists(h, h.endsWith(".example"))',
  'size(request.fields) > 3 && caller.id != ""',
  'run.started_at < timestamp("2027-01-01T00:00:00Z")',
  'orb.name.matches("^[a-z]+$")',
];
const SPEC: JsonValue = {
  mode: 'Enforce',
  match: { orbs: { ids: ['acme.*'] }, phases: ['PreFlight'] },
  rules: [
    { name: 'low', effect: 'deny', when: 'orb.score < 50', message: 'The score is low.' },
    { name: 'kept', effect: 'require', when: 'true', obligations: [{ type: 'noStore' }] },
  ],
};

const withConditions = (random: Random, value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map((item: JsonValue) => withConditions(random, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'when' && random() < 0.6 ? mutated(random, pick(random, CONDITIONS)) : withConditions(random, member),
    ]),
  );
};

/** A policy of any shape is refused or compiled, with findings that can be shown, and the same way each time. */
export function tryPolicy(random: Random): boolean {
  const written = withConditions(random, SPEC);
  const spec = random() < 0.4 ? written : changedIn(random, written, 4, ['exceptions', 'tests', 'variables']);
  const document = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPolicy', metadata: { name: 'a' }, spec };
  const [read] = parseDocuments(JSON.stringify(document), 'json');
  checkFindings(read?.findings ?? []);
  if (read?.ok !== true) return false;
  const checked = checkDocument(read.value);
  checkFindings(checked.findings);
  if (!checked.ok || checked.value.kind !== 'OrbPolicy') return false;
  const policy = { namespace: 'acme', name: 'a', spec: checked.value.spec };
  const compiled = compileDocument(policy, NOW, CEL_ENGINE);
  checkFindings(compiled.findings);
  const again = compileDocument(policy, NOW, CEL_ENGINE);
  if (again.ok !== compiled.ok || !isDeepStrictEqual(again.findings, compiled.findings))
    throw new Error('the same policy is judged in another way');
  return compiled.ok;
}

const LINES = [
  'a: &a [1, 2]\nb: *a\n',
  '- ? {a: 1}\n  : 2\n',
  'text: |\n  one\n   two\n',
  'folded: >-\n  one\n\n  two\n',
  '--- !!map\na: !!str 1\n...\n',
  '%YAML 1.2\n---\na: 0x1f\nb: 1_000\nc: .inf\nd: ~\n',
  '<<: {a: 1}\na: yes\n',
  "a: 'it''s'\nb: \"\\u00e9\\x41\"\n",
  '{"a": [1.0, 1e3, -0], "b": {"": null}}\n',
  '# a comment\n---\n---\n',
];

/** A resource file of any text is read or refused, and what is read means the same as JSON. */
export function tryFile(random: Random): boolean {
  const sample = random() < 0.4 ? JSON.stringify(mail, null, random() < 0.5 ? 1 : 0) : pick(random, LINES);
  const more = random() < 0.3 ? `---\n${JSON.stringify(anyValue(random, 3)) ?? ''}\n${pick(random, LINES)}` : '';
  const text = mutated(random, `${sample}\n${more}`);
  checkFindings(parseContent(text, 'yaml').findings);
  let isRead = false;
  for (const parsed of parseDocuments(text, 'yaml')) {
    if (!parsed.ok) continue;
    const [again] = parseDocuments(JSON.stringify(parsed.value), 'json');
    if (again?.ok !== true || JSON.stringify(again.value) !== JSON.stringify(parsed.value))
      throw new Error(`it is read in another way: ${text}`);
    isRead = true;
  }
  return isRead;
}
