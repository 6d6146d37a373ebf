import { BOOL, DURATION, INT, stringOf, TIMESTAMP, unitsToCompare, type Kind, type Type } from './types.ts';

/** One form of a function or operator that both CEL libraries have. */
export interface Overload {
  readonly name: string;
  readonly isMethod: boolean;
  readonly params: readonly Kind[];
  readonly result: (args: readonly Type[]) => Type;
  /** Units beyond those of the arguments (policy.md §1.2). */
  readonly units: (args: readonly Type[]) => number;
}

/** Longest text of a number, a date or a boolean. */
const MAX_TEXT = 40;

const lengthOf = (type: Type | undefined): number => (type?.kind === 'string' ? type.maxLength : 0);
const longest = (args: readonly Type[]): number => Math.max(0, ...args.map(lengthOf));
const one = (): number => 1;
const perKilobyte = (args: readonly Type[]): number => 1 + Math.ceil(longest(args) / 1024);
/** For functions that look at every character in turn, or read digits. */
const perCharacters = (args: readonly Type[]): number => 1 + Math.ceil(longest(args) / 8);
/** A pattern is compiled with the policy. */
const perMatch = ([text]: readonly Type[]): number => 20 + 2 * lengthOf(text);
/** Calendars of time zones are looked up by the platform's library. */
const ZONE_UNITS = 2000;

type Form = Omit<Overload, 'name' | 'isMethod' | 'params'>;
const plain = (result: Type, units: Form['units'] = one): Form => ({ result: () => result, units });

const overload = (name: string, isMethod: boolean, params: readonly Kind[], form: Form): Overload => ({
  name,
  isMethod,
  params,
  ...form,
});
const operator = (name: string, params: readonly Kind[], form: Form): Overload => overload(name, false, params, form);

const arithmetic = ['_+_', '_-_', '_*_', '_/_', '_%_'].map((name) => operator(name, ['int', 'int'], plain(INT)));
const comparisons = ['_<_', '_<=_', '_>_', '_>=_'].flatMap((name) => [
  operator(name, ['int', 'int'], plain(BOOL)),
  operator(name, ['string', 'string'], plain(BOOL, perKilobyte)),
  operator(name, ['timestamp', 'timestamp'], plain(BOOL)),
  operator(name, ['duration', 'duration'], plain(BOOL)),
]);
const times = [
  operator('_+_', ['timestamp', 'duration'], plain(TIMESTAMP)),
  operator('_+_', ['duration', 'timestamp'], plain(TIMESTAMP)),
  operator('_+_', ['duration', 'duration'], plain(DURATION)),
  operator('_-_', ['timestamp', 'timestamp'], plain(DURATION)),
  operator('_-_', ['timestamp', 'duration'], plain(TIMESTAMP)),
  operator('_-_', ['duration', 'duration'], plain(DURATION)),
];

const joinedText: Form = {
  result: (args) => stringOf(args.reduce((length, arg) => length + lengthOf(arg), 0)),
  units: (args) => 1 + Math.ceil(args.reduce((length, arg) => length + lengthOf(arg), 0) / 1024),
};

const sizes = (['string', 'list', 'map'] as const).flatMap((kind) =>
  [true, false].map((isMethod) =>
    overload('size', isMethod, [kind], plain({ kind: 'int', min: 0n, max: 2n ** 53n }, perCharacters)),
  ),
);

const calendar = [
  'getDate',
  'getDayOfMonth',
  'getDayOfWeek',
  'getDayOfYear',
  'getFullYear',
  'getHours',
  'getMilliseconds',
  'getMinutes',
  'getMonth',
  'getSeconds',
].flatMap((name) => [
  overload(
    name,
    true,
    ['timestamp'],
    plain(INT, () => 10),
  ),
  overload(
    name,
    true,
    ['timestamp', 'string'],
    plain(INT, () => ZONE_UNITS),
  ),
]);

const conversions = [
  operator('string', ['string'], { result: ([text]) => text ?? stringOf(0), units: one }),
  operator('string', ['int'], plain(stringOf(MAX_TEXT))),
  operator('string', ['bool'], plain(stringOf(MAX_TEXT))),
  operator('int', ['int'], plain(INT)),
  operator('int', ['string'], plain(INT, perCharacters)),
  operator('bool', ['bool'], plain(BOOL)),
  operator('bool', ['string'], plain(BOOL, perKilobyte)),
  operator(
    'timestamp',
    ['string'],
    plain(TIMESTAMP, (args) => 20 + perCharacters(args)),
  ),
  operator(
    'duration',
    ['string'],
    plain(DURATION, (args) => 20 + perCharacters(args)),
  ),
];

/**
 * What an expression may call. Functions that only one library has, `dyn`, `type`, doubles and bytes are left out
 * (policy.md §1.3), so a policy means the same in both.
 */
const OVERLOADS: readonly Overload[] = [
  operator('!_', ['bool'], plain(BOOL)),
  operator('_&&_', ['bool', 'bool'], plain(BOOL)),
  operator('_||_', ['bool', 'bool'], plain(BOOL)),
  operator('-_', ['int'], plain(INT)),
  ...arithmetic,
  ...comparisons,
  ...times,
  operator('_+_', ['string', 'string'], joinedText),
  ...sizes,
  ...['startsWith', 'endsWith', 'contains'].map((name) =>
    overload(name, true, ['string', 'string'], plain(BOOL, perKilobyte)),
  ),
  overload('matches', true, ['string', 'string'], plain(BOOL, perMatch)),
  ...conversions,
  ...calendar,
];

const keyOf = (name: string, isMethod: boolean, params: readonly Kind[]): string =>
  `${isMethod ? '.' : ''}${name}(${params.join(', ')})`;
const byKey = new Map(OVERLOADS.map((found) => [keyOf(found.name, found.isMethod, found.params), found]));

/** The form for these arguments, of which the first is what a method is called on. */
export const overloadFor = (name: string, isMethod: boolean, kinds: readonly Kind[]): Overload | undefined =>
  byKey.get(keyOf(name, isMethod, kinds));

const isNamed = (name: string): boolean => /^[a-z]/i.test(name);

/** Forms of one name. */
export const overloadsNamed = (name: string): readonly Overload[] => OVERLOADS.filter((found) => found.name === name);

/** Functions for the reference and for `GET /policies/schema`; a receiver only where it is a method. */
export const FUNCTIONS: readonly {
  readonly name: string;
  readonly receiver: string | undefined;
  readonly args: readonly string[];
  readonly returns: string;
}[] = OVERLOADS.filter(({ name }) => isNamed(name)).map(({ name, isMethod, params, result }) => ({
  name,
  receiver: isMethod ? params[0] : undefined,
  args: isMethod ? params.slice(1) : params,
  returns: result([]).kind,
}));

/** Names that an expression may call. */
export const FUNCTION_NAMES: readonly string[] = [...new Set(FUNCTIONS.map(({ name }) => name))];

/** Units of comparing both. */
export const unitsOfEquality = (left: Type, right: Type): number =>
  Math.max(unitsToCompare(left), unitsToCompare(right));
