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
const single = (): number => 1;
const perKilobyte = (args: readonly Type[]): number => 1 + Math.ceil(longest(args) / 1024);
/** For functions that look at every character in turn, or read digits. */
const perCharacters = (args: readonly Type[]): number => 1 + Math.ceil(longest(args) / 8);
/** A search may compare at every position. */
const perPosition = (args: readonly Type[]): number => 1 + Math.ceil(longest(args) / 16);
/** An error is an object with a text. Added where one is likely, since a loop may meet it for each item. */
export const ERROR_UNITS = 30;
/** A value of two numbers, with checks of both. */
const TIME_UNITS = 80;
const readText = (args: readonly Type[]): number => ERROR_UNITS + perCharacters(args);
/** A pattern is compiled with the policy. */
const perMatch = ([text]: readonly Type[]): number => 20 + 2 * lengthOf(text);
/** Calendars of time zones are looked up by the platform's library. */
const ZONE_UNITS = 2000;

type Form = Omit<Overload, 'name' | 'isMethod' | 'params'>;
const plain = (result: Type, units: Form['units'] = single): Form => ({ result: () => result, units });

const overload = (name: string, isMethod: boolean, params: readonly Kind[], form: Form): Overload => ({
  name,
  isMethod,
  params,
  ...form,
});
const operator = (name: string, params: readonly Kind[], form: Form): Overload => overload(name, false, params, form);

type Range = { readonly min: bigint; readonly max: bigint };

const RANGES: ReadonlyMap<string, (one: Range, other: Range) => readonly bigint[]> = new Map([
  ['_+_', (one: Range, other: Range) => [one.min + other.min, one.max + other.max]],
  ['_-_', (one: Range, other: Range) => [one.min - other.max, one.max - other.min]],
  [
    '_*_',
    (one: Range, other: Range) => [one.min * other.min, one.min * other.max, one.max * other.min, one.max * other.max],
  ],
]);
const WIDE: Range = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

const byValue = (one: bigint, other: bigint): number => Number(one > other) - Number(one < other);

const isInside = ({ min, max }: Range): boolean => min >= WIDE.min && max <= WIDE.max;

/** Bounds of a result; undefined: it may overflow, or divide by zero. */
function rangeOf(name: string, [one, other]: readonly Type[]): Range | undefined {
  if (one?.kind !== 'int' || other?.kind !== 'int') return undefined;
  const [min, ...rest] = RANGES.get(name)?.(one, other).toSorted(byValue) ?? [];
  const max = rest.at(-1);
  if (min === undefined || max === undefined) return undefined;
  return isInside({ min, max }) ? { min, max } : undefined;
}

const arithmetic = ['_+_', '_-_', '_*_', '_/_', '_%_'].map((name) =>
  operator(name, ['int', 'int'], {
    result: (args) => ({ kind: 'int', ...(rangeOf(name, args) ?? WIDE) }),
    units: (args) => (rangeOf(name, args) === undefined ? 1 + ERROR_UNITS : 1),
  }),
);
const comparisons = ['_<_', '_<=_', '_>_', '_>=_'].flatMap((name) => [
  operator(name, ['int', 'int'], plain(BOOL)),
  operator(name, ['string', 'string'], plain(BOOL, perKilobyte)),
  operator(
    name,
    ['timestamp', 'timestamp'],
    plain(BOOL, () => 10),
  ),
  operator(
    name,
    ['duration', 'duration'],
    plain(BOOL, () => 10),
  ),
]);
const ofTime = (result: Type): Form => plain(result, () => TIME_UNITS + ERROR_UNITS);
const times = [
  operator('_+_', ['timestamp', 'duration'], ofTime(TIMESTAMP)),
  operator('_+_', ['duration', 'timestamp'], ofTime(TIMESTAMP)),
  operator('_+_', ['duration', 'duration'], ofTime(DURATION)),
  operator('_-_', ['timestamp', 'timestamp'], ofTime(DURATION)),
  operator('_-_', ['timestamp', 'duration'], ofTime(TIMESTAMP)),
  operator('_-_', ['duration', 'duration'], ofTime(DURATION)),
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
  operator('string', ['string'], { result: ([text]) => text ?? stringOf(0), units: single }),
  operator('string', ['int'], plain(stringOf(MAX_TEXT))),
  operator('string', ['bool'], plain(stringOf(MAX_TEXT))),
  operator('int', ['int'], plain(INT)),
  operator('int', ['string'], plain(INT, readText)),
  operator('bool', ['bool'], plain(BOOL)),
  operator('bool', ['string'], plain(BOOL, readText)),
  operator(
    'timestamp',
    ['string'],
    plain(TIMESTAMP, (args) => TIME_UNITS + readText(args)),
  ),
  operator(
    'duration',
    ['string'],
    plain(DURATION, (args) => TIME_UNITS + readText(args)),
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
  operator(
    '-_',
    ['int'],
    plain(INT, () => 1 + ERROR_UNITS),
  ),
  ...arithmetic,
  ...comparisons,
  ...times,
  operator('_+_', ['string', 'string'], joinedText),
  ...sizes,
  ...['startsWith', 'endsWith'].map((name) => overload(name, true, ['string', 'string'], plain(BOOL, perKilobyte))),
  overload('contains', true, ['string', 'string'], plain(BOOL, perPosition)),
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
