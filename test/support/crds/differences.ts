/** A document that core and the API server judge differently, and the reason. */
export interface Difference {
  /** Matches core's `code pointer`, or the server's message. */
  readonly says: RegExp;
  readonly why: string;
}

/** Core refuses, the server accepts: rules that a structural schema and CEL can't express. */
export const CORE_ONLY: readonly Difference[] = [
  {
    says: /^manifest-null /,
    why: 'A server drops null where no null is allowed, and rules can not see values of any kind; the digest is of what is stored.',
  },
  { says: /^unsafe-name /, why: 'Maps of any value, and names of inputs: only readers in JavaScript mind __proto__.' },
  {
    says: /^integer-out-of-range /,
    why: 'Go reads 64 bits; the decoder of watches reports such integers (design.md §2).',
  },
  { says: /^minus-zero /, why: 'A server keeps −0 or drops its sign; in a canonical text it is 0.' },
  {
    says: /^invalid-unicode /,
    why: 'The server reads half of a surrogate pair as U+FFFD; a file is refused before that.',
  },
  { says: /^too-deep /, why: 'A value of any kind nests as deep as the server lets it: 10 000 levels.' },
  { says: /^schema-required \/metadata\/name$/, why: 'generateName is for the server; files name what they describe.' },
  { says: /^schema-propertyNames \/swap_config\/probe\/inputs\//, why: 'Rules can not see maps of any value.' },
  { says: /^manifest-default-type /, why: 'Rules can not see values of any kind.' },
  {
    says: /^manifest-(url-not-https|host-private|input-in-host) /,
    why: 'Origins of --egress-allow are exempt, and only the platform knows them.',
  },
  { says: /^manifest-unknown-input /, why: 'Templates are compiled by core only.' },
  { says: /^manifest-body-template /, why: 'Templates are compiled by core only.' },
  { says: /^source-cidr /, why: 'Older servers have no function that reads a block of addresses.' },
  { says: /^source-service /, why: 'A rule does not see the namespace of the platform.' },
  { says: /^template-/, why: 'Templates are compiled by core only.' },
  {
    says: /^manifest-secret-literal /,
    why: 'A judgement by forms of tokens, which change more often than resource definitions.',
  },
];

/** The server refuses, core accepts. */
export const SERVER_ONLY: readonly Difference[] = [
  {
    says: /invalid data, expected int, got float64/,
    why: 'An integer written as 5e3 or 5000.0, where a rule reads it: Go has a float then. kubectl sends digits.',
  },
  { says: /unknown field "status\./, why: 'Core does not read the status of a document.' },
  {
    says: /unknown field "metadata\.ownerReferences|ObjectMeta\.(uid|generateName)|parsing time "x"/,
    why: 'Core does not read metadata that the server sets.',
  },
  {
    says: /prefix part must be no more than 253 (bytes|characters)/,
    why: 'A pattern bounds the whole key of a label, not a part of it.',
  },
  { says: /metadata\.annotations: Too long/, why: 'The sum of all annotations; a schema bounds each one.' },
];

/** The entry that explains a message. */
export const explanation = (table: readonly Difference[], said: string): Difference | undefined =>
  table.find(({ says }) => says.test(said));
