import type { Manifest } from '../../crds/manifest.ts';
import { childPointer } from '../manifest/child-pointer.ts';
import type { Finding } from '../manifest/finding.ts';
import { nearestName } from '../manifest/nearest.ts';
import { requestsOf, textsOf } from './executions.ts';

// This finds names only; core/template checks the grammar.
const INPUT = /\{\{ *inputs\.([A-Za-z_][A-Za-z0-9_]*) *\}\}/g;

/** A hostile manifest has ten thousand unknown names; its author reads some of the findings. */
const MAX_UNKNOWN = 20;

/** Comparing a long name with every known one takes a millisecond, so only the first ones get a suggestion. */
const MAX_SUGGESTIONS = 5;

interface Use {
  readonly name: string;
  readonly pointer: string;
}

const usesOf = (manifest: Manifest): readonly Use[] =>
  requestsOf(manifest)
    .flatMap(textsOf)
    .flatMap(({ pointer, text }) => [...text.matchAll(INPUT)].map(([, name = '']) => ({ name, pointer })));

function unknownInput({ name, pointer }: Use, known: readonly string[]): Finding {
  const suggestion = nearestName(name, known);
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
  const detail = `No input is named "${name}"; add it to /inputs.${hint}`;
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

/**
 * Compares placeholders with inputs: `manifest-unknown-input`, `manifest-input-unused`, `input-effectively-required`
 * (trust.md §8.2).
 */
export function checkPlaceholders(manifest: Manifest): readonly Finding[] {
  const uses = usesOf(manifest);
  const firstPointers = new Map(uses.toReversed().map(({ name, pointer }) => [name, pointer]));
  const known = Object.keys(manifest.inputs);
  const unknown = uses.filter(({ name }) => !Object.hasOwn(manifest.inputs, name)).slice(0, MAX_UNKNOWN);
  return [
    ...unknown.map((use, index) => unknownInput(use, index < MAX_SUGGESTIONS ? known : [])),
    ...known.flatMap((name) => inputFindings(manifest, name, firstPointers.get(name))),
  ];
}
