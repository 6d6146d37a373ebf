import { nearestName } from '../manifest/nearest.ts';

/** Text between `{{` and `}}` that is no reference. */
export interface WrongReference {
  /** Without the braces and the spaces at both ends; at most 80 characters. */
  readonly text: string;
  readonly closed: boolean;
}

/** What to write in place of a wrong reference, and why. */
export interface Correction {
  readonly detail: string;
  /** The whole placeholder that was probably meant. */
  readonly suggestion?: string;
}

const INPUT_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const ENTRY = /^[A-Za-z0-9._-]{1,253}$/;
const CAPITALS = /^[A-Z][A-Z0-9_]{2,}$/;
/** Names that other template languages give to what a caller sends, and to what stays secret. */
const INPUTS = ['inputs', 'params', 'parameters', 'args', 'vars', 'variables', 'body', 'request'];
const SECRETS = ['secrets', 'vault', 'env', 'credentials', 'config'];
const ORBISET = ['orbiset', 'orbisets', 'orb'];
/** A word can be shown. Text with many digits may be a credential that somebody wrote between braces. */
const SHOWABLE = /^[A-Za-z_$][A-Za-z_.$|: -]*(?:[0-9]{1,4}[A-Za-z_.$|: -]*)?$/;
const MAX_SHOWN = 40;

const inputReference = (name: string): string => `{{inputs.${name}}}`;
const secretReference = (entry: string): string => `{{orbiset.secrets.${entry}}}`;

/** An entry, also in the form of a path. */
const isEntry = (text: string): boolean => ENTRY.test(text.replace(/:path$/, ''));

/** A name with the declared spelling, when it is near one. */
const asDeclared = (name: string, inputs: readonly string[]): string =>
  inputs.includes(name) ? name : (nearestName(name, inputs) ?? name);

/** A name without a head: a declared input, or an entry in capitals. */
function ofBareName(name: string, inputs: readonly string[]): string | undefined {
  if (inputs.includes(name)) return inputReference(name);
  if (CAPITALS.test(name)) return secretReference(name);
  const near = INPUT_NAME.test(name) ? nearestName(name, inputs) : undefined;
  return near === undefined ? undefined : inputReference(near);
}

function ofPath(head: string, rest: string, inputs: readonly string[]): string | undefined {
  if (nearestName(head, INPUTS) !== undefined && INPUT_NAME.test(rest)) return inputReference(asDeclared(rest, inputs));
  if (nearestName(head, SECRETS) !== undefined && isEntry(rest)) return secretReference(rest);
  if (nearestName(head, ORBISET) === undefined) return undefined;
  const dot = rest.indexOf('.');
  const [middle, entry] = dot < 0 ? ['secrets', rest] : [rest.slice(0, dot), rest.slice(dot + 1)];
  return nearestName(middle, SECRETS) !== undefined && isEntry(entry) ? secretReference(entry) : undefined;
}

/** The reference that a text without filters, and without spaces around its dots, was probably meant to be. */
function meantBy(text: string, inputs: readonly string[]): string | undefined {
  const bare = text
    .replaceAll(/[{}$]/g, '')
    .replace(/\|.*$/s, '')
    .replaceAll(/\s*\.\s*/g, '.')
    .replace(/^(\s*inputs\.[^:]*):path\s*$/, '$1') // only a secret is a rest of a path
    .trim();
  const dot = bare.indexOf('.');
  return dot < 0 ? ofBareName(bare, inputs) : ofPath(bare.slice(0, dot), bare.slice(dot + 1), inputs);
}

const RULE = '"{{" begins {{inputs.NAME}} or {{orbiset.secrets.KEY}} and nothing else';

function shownName({ text, closed }: WrongReference): string {
  const isShown = text.length <= MAX_SHOWN && SHOWABLE.test(text);
  return isShown ? `"{{${text}${closed ? '}}' : ''}"` : 'This';
}

/**
 * Says what to write in place of a wrong reference.
 * @param inputs names of the declared inputs
 */
export function correctReference(wrong: WrongReference, inputs: readonly string[]): Correction {
  const suggestion = meantBy(wrong.text, inputs);
  const fault = wrong.closed ? 'is no placeholder' : 'is a placeholder that nothing closes; end it with }}';
  if (suggestion === undefined) return { detail: `${shownName(wrong)} ${fault}: ${RULE}; correct it.` };
  const filters = wrong.text.includes('|') ? ' There are no filters.' : '';
  return { detail: `${shownName(wrong)} ${fault}: write ${suggestion}.${filters}`, suggestion };
}
