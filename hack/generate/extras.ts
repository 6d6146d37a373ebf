import { DURATION_BOUNDS, explainBound } from '../../core/manifest-rules/check-swap.ts';
import type { CelRule, Extra } from './structural.ts';

/** Adds the code of core's finding for the same fault, so that the reader of a refusal can look it up. */
const coded = (message: string, code: string): string => `${message} (${code})`;

/** Rules that `core/manifest-rules` checks too, with the same verdict (test/integration/crds). */
type Extras = Readonly<Record<string, Extra>>;

function duration(bound: (typeof DURATION_BOUNDS)[number]): Extra {
  const { min, max, step } = bound;
  const range = `duration(self) >= duration('${min}') && duration(self) <= duration('${max}')`;
  const multiple =
    step === undefined ? '' : ` && duration(self).getMilliseconds() % duration('${step}').getMilliseconds() == 0`;
  // Another text is refused by its form alone: here it would be an error of the rule.
  const rule = `!self.matches('^[1-9][0-9]*(ms|s|m|h)$') || (${range}${multiple})`;
  return { rules: [{ rule, message: coded(explainBound(bound), 'manifest-swap-duration') }] };
}

const definitionOf = (group: string): string => `$defs/swap${group.charAt(0).toUpperCase()}${group.slice(1)}`;

const durations: Extras = Object.fromEntries(
  DURATION_BOUNDS.map((bound) => [`${definitionOf(bound.group)}/properties/${bound.member}`, duration(bound)]),
);

/** @param last index of the last pair that the bound of the list allows */
const ascending = (last: number, item: (index: string) => string): string => {
  const pairs = Array.from({ length: last + 1 }, (_, index) => index);
  return `[${pairs.join(', ')}].all(i, i + 1 >= size(self) || ${item('i')} < ${item('i + 1')})`;
};

// `expect` alone does not change the request.
const hasOwnProbe = (execution: string): string =>
  `(has(${execution}.probe) && (${['method', 'url', 'headers', 'body_template']
    .map((member) => `has(${execution}.probe.${member})`)
    .join(' || ')}))`;

const isSafe = (execution: string): string =>
  `(${hasOwnProbe(execution)} || (has(${execution}.method) ? ${execution}.method in ['GET', 'HEAD', 'OPTIONS'] : !has(${execution}.body_template)))`;

// No `orValue`: the cost of a rule is estimated from bounds, and optional values have none.
const interval =
  "duration(has(self.probe) && has(self.probe.interval) ? self.probe.interval : '30s').getMilliseconds()";
const samples = 'has(self.failback) && has(self.failback.min_probe_samples) ? self.failback.min_probe_samples : 8';
const perHour = 'has(self.probe) && has(self.probe.max_per_hour) ? self.probe.max_per_hour : 150';
const unprobed = "has(self.probe) && has(self.probe.mode) && self.probe.mode == 'none'";

const swapRules: readonly CelRule[] = [
  {
    rule: `(${unprobed}) || ${interval} * (${samples}) <= 300000`,
    message: coded(
      'probe.interval times failback.min_probe_samples must be at most 5m: write less, otherwise the primary never becomes active again.',
      'manifest-probe-samples',
    ),
  },
  {
    rule: `(${unprobed}) || ${interval} * (${perHour}) >= 3600000`,
    message: coded(
      'probe.max_per_hour is at least one hour divided by probe.interval: write more.',
      'manifest-probe-budget',
    ),
  },
];

const fallbacks = 'self.swap_config.fallbacks';
const primary = 'has(self.swap_config.primary) ? self.swap_config.primary : self.provider';
const synthetic =
  "has(self.swap_config) && has(self.swap_config.probe) && has(self.swap_config.probe.mode) && self.swap_config.probe.mode == 'synthetic'";

const manifestRules: readonly CelRule[] = [
  {
    rule: `!has(self.swap_config) || !has(${fallbacks}) || ${fallbacks}.all(name, name != (${primary}) && ${fallbacks}.exists_one(other, other == name))`,
    message: coded(
      'swap_config.fallbacks names each provider once, without the primary.',
      'manifest-fallback-duplicate',
    ),
  },
  {
    rule: `!(${synthetic}) || (${isSafe('self.execution')} && (!has(self.providers) || self.providers.all(name, ${isSafe('self.providers[name].execution')})))`,
    message: coded(
      'Synthetic probes need GET, HEAD or OPTIONS, or an execution.probe, for every provider.',
      'manifest-probe-unsafe',
    ),
  },
  {
    rule: '!has(self.providers) || self.providers.all(name, !has(self.providers[name].outputs) || self.providers[name].outputs.all(output, output in self.outputs))',
    message: coded('A provider names an output that the Orb does not have.', 'schema-additionalProperties'),
  },
];

/** Extras of manifest.schema.json; `''` is the manifest itself. */
const manifestExtras: Extras = {
  ...durations,
  '': { rules: manifestRules },
  '$defs/execution': {
    rules: [
      {
        rule: '!has(self.slo_ms) || self.slo_ms <= (has(self.timeout_ms) ? self.timeout_ms : 30000)',
        message: coded('slo_ms is at most timeout_ms.', 'manifest-slo'),
      },
    ],
  },
  '$defs/outputDefinition/properties/from': {
    rules: [
      {
        rule: "self.matches('^/(status|(headers|body)(/([^~/]|~[01])*)*)$')",
        message: coded(
          'Write a JSON Pointer into the answer: /status, /headers/NAME or /body/…',
          'manifest-output-pointer',
        ),
      },
    ],
  },
  '$defs/swapConfig': { rules: swapRules },
  '$defs/swapLatency/properties/windows': {
    rules: [
      {
        rule: ascending(1, (index) => `duration(self[${index}])`),
        message: coded('Name each window once, in ascending order.', 'manifest-swap-windows'),
      },
    ],
  },
  '$defs/swapFailback/properties/ramp': {
    rules: [
      {
        rule: `self[size(self) - 1] == 100 && ${ascending(4, (index) => `self[${index}]`)}`,
        message: coded('Write percents in ascending order; the last is 100.', 'manifest-swap-ramp'),
      },
    ],
  },
  '$defs/swapDwell': {
    rules: [
      {
        rule: "duration(has(self.max) ? self.max : '30m') >= duration(has(self.hold_down) ? self.hold_down : '5m')",
        message: coded('max is at least hold_down; it is 30m when absent.', 'manifest-swap-dwell'),
      },
    ],
  },
};

const DAYS = '(0[1-9]|[12][0-9]|3[01])';
const TIME = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]';
const year = 'int(self.substring(0, 4))';

/** A day of the calendar and a time of the day, after the pattern has fixed the digits. */
const isDateTime = [
  `self.matches('^[0-9]{4}-(0[1-9]|1[0-2])-${DAYS}T${TIME}')`,
  "!self.matches('^.{5}(02-3|(04|06|09|11)-31)')",
  `(!self.matches('^.{5}02-29') || (${year} % 4 == 0 && (${year} % 100 != 0 || ${year} % 400 == 0)))`,
].join(' && ');

/** Extras of orb.schema.json: its pin. */
export const pinExtras: Extras = { '$defs/pin/properties/expires_at': { formatRule: isDateTime } };

/**
 * An unchanged pin is not checked again. Another user may remove its provider later, and an expired pin
 * stays in the spec (failover.md §8); the condition PinValid reports both.
 */
const pinRules: readonly CelRule[] = [
  {
    rule: '!has(self.pin) || (oldSelf.hasValue() && has(oldSelf.value().pin) && oldSelf.value().pin.provider == self.pin.provider) || self.pin.provider == self.provider || (has(self.providers) && self.pin.provider in self.providers)',
    message: coded(
      'pin.provider is no provider of this manifest: name its provider, or one of providers.',
      'pin-provider-unknown',
    ),
    optionalOldSelf: true,
  },
];

/**
 * Extras of manifest.schema.json inside an OrbPublication. The rule is at the member: one of the whole spec would be
 * evaluated, and fail, for every write to the status of an object whose stored spec is malformed.
 */
export const publishedExtras: Extras = {
  ...manifestExtras,
  '/properties/orb_id': {
    rules: [
      {
        rule: 'self == oldSelf',
        message: "spec.manifest.orb_id can't change: publish another version as another object.",
      },
    ],
  },
};

/** Extras of manifest.schema.json as the spec of an Orb. */
export const pinnedExtras: Extras = { ...manifestExtras, '': { rules: [...manifestRules, ...pinRules] } };
