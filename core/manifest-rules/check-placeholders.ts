import type { Manifest } from '../../crds/manifest.ts';
import { childPointer } from '../manifest/child-pointer.ts';
import type { Finding } from '../manifest/finding.ts';
import { nearestName } from '../manifest/nearest.ts';
import { parseTemplate } from '../template/parse-template.ts';
import { correctReference } from '../template/suggest-reference.ts';
import { requestsOf, textsOf } from './executions.ts';

// This finds names only; core/template checks the grammar.
const INPUT = /\{\{ *inputs\.([A-Za-z_][A-Za-z0-9_]*) *\}\}/g;

/** A hostile manifest has ten thousand unknown names; its author reads some of the findings. */
const MAX_UNKNOWN = 20;

/** Comparing a long name with every known one takes a millisecond, so only the first ones get a suggestion. */
const MAX_SUGGESTIONS = 5;

/** Comparing names costs: beyond so many wrong placeholders nothing is said about inputs without a use. */
const MAX_COMPARED = 20;

interface Use {
  readonly name: string;
  readonly pointer: string;
}

const usesOf = (manifest: Manifest): readonly Use[] =>
  requestsOf(manifest)
    .flatMap(textsOf)
    .flatMap(({ pointer, text }) => [...text.matchAll(INPUT)].map(([, name = '']) => ({ name, pointer })));

/** @param more unknown inputs about which nothing else is said */
function unknownInput({ name, pointer }: Use, known: readonly string[], more: number): Finding {
  const suggestion = nearestName(name, known);
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
  const others = more === 0 ? '' : ` And ${more} more placeholder${more === 1 ? '' : 's'} without an input.`;
  const detail = `No input is named "${name}"; add it to /inputs.${hint}${others}`;
  const finding: Finding = { code: 'manifest-unknown-input', pointer, detail, severity: 'error' };
  return suggestion === undefined ? finding : { ...finding, suggestion };
}

/** @param firstPointer of the first text that needs it; undefined: none does */
function inputFindings(manifest: Manifest, name: string, firstPointer: string | undefined): readonly Finding[] {
  const definition = manifest.inputs[name];
  const pointer = childPointer('/inputs', name);
  if (firstPointer === undefined) {
    const detail = `Nothing uses the input "${name}"; use {{inputs.${name}}} or remove it.`;
    return [{ code: 'manifest-input-unused', pointer, detail, severity: 'warning' }];
  }
  if (definition?.required === true || definition?.default !== undefined) return [];
  const detail = `The input "${name}" is optional and has no default, but ${firstPointer} needs it; make it required or add a default.`;
  return [{ code: 'input-effectively-required', pointer, detail, severity: 'warning' }];
}

/** Inputs that wrong placeholders probably mean; undefined when there are too many of these to compare. */
function meantInputs(
  manifest: Manifest,
  unknown: readonly Use[],
  known: readonly string[],
): ReadonlySet<string> | undefined {
  const parsed = requestsOf(manifest)
    .flatMap(textsOf)
    .map(({ text }) => parseTemplate(text));
  const refused = parsed.flatMap((one) => ('wrong' in one ? [one] : []));
  const wrong = refused.flatMap((one) => one.wrong);
  if (refused.some(({ more }) => more > 0) || unknown.length + wrong.length > MAX_COMPARED) return undefined;
  const references = wrong.flatMap((one) => correctReference(one, known).suggestion ?? []);
  return new Set([
    ...unknown.flatMap(({ name }) => nearestName(name, known) ?? []),
    ...references.flatMap((reference) => [...reference.matchAll(INPUT)].map(([, name = '']) => name)),
  ]);
}

/**
 * Compares placeholders with inputs: `manifest-unknown-input`, `manifest-input-unused`, `input-effectively-required`
 * (trust.md §8.2). An input that a wrong placeholder probably means is not unused.
 */
export function checkPlaceholders(manifest: Manifest): readonly Finding[] {
  const uses = usesOf(manifest);
  const firstPointers = new Map(uses.toReversed().map(({ name, pointer }) => [name, pointer]));
  const known = Object.keys(manifest.inputs);
  const unknown = uses.filter(({ name }) => !Object.hasOwn(manifest.inputs, name));
  const shown = unknown.slice(0, MAX_UNKNOWN);
  const isAnyUnused = known.some((name) => !firstPointers.has(name));
  const meant = isAnyUnused ? meantInputs(manifest, unknown, known) : undefined;
  const isTold = (name: string): boolean => firstPointers.has(name) || meant?.has(name) === false;
  return [
    ...shown.map((use, index) =>
      unknownInput(
        use,
        index < MAX_SUGGESTIONS ? known : [],
        index === shown.length - 1 ? unknown.length - shown.length : 0,
      ),
    ),
    ...known.filter(isTold).flatMap((name) => inputFindings(manifest, name, firstPointers.get(name))),
  ];
}
