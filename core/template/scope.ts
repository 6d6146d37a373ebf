import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import type { Finding } from '../manifest/finding.ts';
import {
  MAX_PLACEHOLDERS,
  parseTemplate,
  type ParsedTemplate,
  type TemplatePart,
  type TextPart,
} from './parse-template.ts';
import { refusals, type Position, type RefusalCode } from './position.ts';
import type { Fallback, PlaceholderSpan, InputReference, Reference } from './span.ts';
import { correctReference } from './suggest-reference.ts';
import { refusalOfValue } from './value.ts';

/** The members of an input's definition that templates need (design.md §2); the manifest's type has them. */
export interface InputShape {
  readonly type?: string;
  readonly required?: boolean;
  readonly default?: unknown;
}

/** A field of an execution, split at its placeholders; each refers to a known input or an entry. */
export type Piece = TextPart | Reference;

/** Shared state while one execution is compiled: its inputs, its count of placeholders, and the findings. */
export interface Scope {
  /**
   * Splits a field and resolves its inputs.
   * @param field JSON Pointer within the execution: `/url`, `/headers/X-Name`
   * @returns undefined when it can't be used; the reason is already reported
   */
  readonly parse: (text: string, field: string) => readonly Piece[] | undefined;
  /** A placeholder in its place. Reports a default that is not allowed there, because a caller could not fix it. */
  readonly hole: (reference: Reference, position: Position) => PlaceholderSpan;
  /**
   * Adds an error at a field of the execution. Returns undefined, so that a step can refuse and return in one
   * statement.
   */
  readonly refuse: (code: string, field: string, detail: string) => undefined;
  /** Adds a finding that leaves the execution usable. */
  readonly warn: (code: string, field: string, detail: string) => void;
  readonly findings: readonly Finding[];
}

const details = {
  'template-too-large': 'An execution holds at most 1000 placeholders, and a field 1 MiB of text.',
  'template-invalid-unicode': 'The text holds half of a surrogate pair; write whole characters.',
} as const;

/** Field of the only place where a secret may be a path. */
export const URL_FIELD = '/url';
/** Where the form with `:path` may stand. */
export const PATH_FORM =
  'A secret with :path stands for the rest of the path of a URL: write it behind a slash at the end of the path; elsewhere leave :path out.';

interface Definition {
  readonly reference: InputReference;
  readonly findings: readonly Finding[];
}

const error = (code: string, pointer: string, detail: string): Finding => ({
  code,
  pointer,
  detail,
  severity: 'error',
});

const isJsonValue = (value: unknown): value is JsonValue =>
  ['string', 'number', 'boolean'].includes(typeof value) || Array.isArray(value) || isJsonObject(value);

/** One reference token of a JSON Pointer (RFC 6901 §3). */
export const escapeToken = (token: string): string => token.replaceAll('~', '~0').replaceAll('/', '~1');

type CompiledDefault =
  | { readonly ok: true; readonly fallback: Fallback }
  | { readonly ok: false; readonly code: string; readonly detail: string };

const refusedDefault = (detail: string): CompiledDefault => ({
  ok: false,
  code: 'template-placeholder-not-allowed',
  detail,
});

/** Findings about a text that could not be split at its placeholders. */
function refusalFindings(
  refused: Extract<ParsedTemplate, { kind: 'refused' }>,
  pointer: string,
  inputs: readonly string[],
): readonly Finding[] {
  if (refused.code !== 'template-unknown-reference') return [error(refused.code, pointer, details[refused.code])];
  const { wrong: shown, more } = refused;
  return shown.map((wrong, index) => {
    const { detail, suggestion } = correctReference(wrong, inputs);
    const isLast = index === shown.length - 1;
    const others =
      isLast && more > 0 ? ` And ${more} more wrong placeholder${more === 1 ? '' : 's'} in this text.` : '';
    const finding = error(refused.code, pointer, `${detail}${others}`);
    return suggestion === undefined ? finding : { ...finding, suggestion };
  });
}

function secretDefault(text: string): CompiledDefault {
  const parsed = parseTemplate(text);
  if (parsed.kind === 'refused') {
    const [first] = refusalFindings(parsed, '', []);
    return { ok: false, code: parsed.code, detail: first?.detail ?? '' };
  }
  const parts = parsed.parts.flatMap((part) => (part.kind === 'input' ? [] : [part]));
  if (parts.length < parsed.parts.length)
    return refusedDefault('A default can hold {{orbiset.secrets.KEY}} only; remove the input.');
  if (parts.some((part) => part.kind === 'secret' && part.isPath === true))
    return refusedDefault('A default takes {{orbiset.secrets.KEY}}; with :path a secret stands in a URL alone.');
  const [first, ...rest] = parts.flatMap((part) => (part.kind === 'secret' ? [part.entry] : []));
  if (first === undefined) return { ok: true, fallback: { kind: 'value', value: text } };
  return { ok: true, fallback: { kind: 'secret', parts, entries: [first, ...rest] } };
}

function compileDefault({ type = 'string', default: value }: InputShape): CompiledDefault {
  if (!isJsonValue(value)) return { ok: true, fallback: { kind: 'none' } };
  // JSON never writes two braces side by side outside of strings and names.
  if (!JSON.stringify(value).includes('{{')) return { ok: true, fallback: { kind: 'value', value } };
  if (typeof value !== 'string') return refusedDefault('Only a default that is a string can hold placeholders.');
  if (type !== 'string')
    return refusedDefault('A secret is a string: only an input of type string can default to one.');
  return secretDefault(value);
}

function define(name: string, shape: InputShape): Definition {
  const pointer = `/inputs/${escapeToken(name)}`;
  const compiled = compileDefault(shape);
  if (compiled.ok) return { reference: { kind: 'input', name, pointer, fallback: compiled.fallback }, findings: [] };
  const findings = [error(compiled.code, `${pointer}/default`, compiled.detail)];
  return { reference: { kind: 'input', name, pointer, fallback: { kind: 'none' } }, findings };
}

function refusalOfText(text: string, position: Position): RefusalCode | undefined {
  return text.isWellFormed() ? position.refuse(text) : 'template-invalid-unicode';
}

function refusalOfDefault(fallback: Fallback, position: Position): RefusalCode | undefined {
  if (fallback.kind === 'none') return undefined;
  if (fallback.kind === 'value') {
    const { value } = fallback;
    return typeof value === 'string' ? refusalOfText(value, position) : refusalOfValue(value);
  }
  const texts = fallback.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  return texts.map((text) => refusalOfText(text, position)).find((code) => code !== undefined);
}

/**
 * Compiles the defaults of all inputs. Their findings come first in the list.
 * @param pointer where the execution stands in the manifest: `/execution`
 */
export function openScope(inputs: Readonly<Record<string, InputShape>>, pointer: string): Scope {
  const names = Object.keys(inputs);
  const defined = new Map(Object.entries(inputs).map(([name, shape]) => [name, define(name, shape)]));
  const findings = [...defined.values()].flatMap((definition) => definition.findings);
  let placeholders = 0;

  const refuse = (code: string, field: string, detail: string): undefined => {
    findings.push(error(code, `${pointer}${field}`, detail));
  };
  const warn = (code: string, field: string, detail: string): void => {
    findings.push({ code, pointer: `${pointer}${field}`, detail, severity: 'warning' });
  };
  const resolve = (part: TemplatePart, field: string): Piece | undefined => {
    if (part.kind !== 'input') return part;
    const { name } = part;
    const reference = defined.get(name)?.reference;
    if (reference !== undefined) return reference;
    return refuse(
      'manifest-unknown-input',
      field,
      `No input is named "${name}"; declare it in /inputs or correct the name.`,
    );
  };
  const refuseDefault = (at: string, code: RefusalCode): void => {
    if (findings.some((finding) => finding.pointer === at && finding.code === code)) return;
    findings.push(error(code, at, refusals[code]));
  };
  const hole = (reference: Reference, position: Position): PlaceholderSpan => {
    const code = reference.kind === 'input' ? refusalOfDefault(reference.fallback, position) : undefined;
    if (reference.kind === 'input' && code !== undefined) refuseDefault(`${reference.pointer}/default`, code);
    return { kind: 'hole', reference, position };
  };
  const parse = (text: string, field: string): readonly Piece[] | undefined => {
    const parsed = parseTemplate(text);
    const parts = parsed.kind === 'parsed' ? parsed.parts : [];
    placeholders += parts.filter((part) => part.kind !== 'text').length;
    if (parsed.kind === 'refused') {
      findings.push(...refusalFindings(parsed, `${pointer}${field}`, names));
      return undefined;
    }
    if (placeholders > MAX_PLACEHOLDERS) return refuse('template-too-large', field, details['template-too-large']);
    if (field !== URL_FIELD && parts.some((part) => part.kind === 'secret' && part.isPath === true))
      return refuse('template-placeholder-not-allowed', field, PATH_FORM);
    const pieces = parts.flatMap((part) => resolve(part, field) ?? []);
    return pieces.length === parts.length ? pieces : undefined;
  };
  return { parse, hole, refuse, warn, findings };
}

/** Vault entries of one placeholder: its own, or those of its default (taint). */
export const entriesOf = (reference: Reference): readonly string[] => {
  if (reference.kind === 'secret') return [reference.entry];
  return reference.fallback.kind === 'secret' ? reference.fallback.entries : [];
};
