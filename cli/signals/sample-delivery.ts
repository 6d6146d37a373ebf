import { createHash, createHmac } from 'node:crypto';
import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { ORB_TOKEN } from '../../core/ingestion/vendors/schemes.ts';
import {
  freshSample,
  isSampleName,
  sampleAbout,
  SAMPLES,
  type SampleName,
} from '../../core/ingestion/vendors/samples.ts';
import type { VendorTemplate } from '../../core/ingestion/vendors/template.ts';
import { CUSTOM_BLOCKS, VENDORS } from '../../core/ingestion/vendors/vendors.ts';
import type { WebhookPrimitives } from '../../core/ingestion/verification/primitives.ts';
import type { VerificationScheme } from '../../core/ingestion/verification/scheme.ts';
import { signDelivery, type SignedDelivery } from '../../core/ingestion/verification/sign-delivery.ts';
import { orbIdOf } from '../args/orb-id.ts';
import { invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import { readInput } from '../io/read-file.ts';

/** Vendors that have a sample, in the order of the docs. */
const SAMPLE_NAMES: readonly string[] = Object.keys(SAMPLES);

const TEMPLATES: Readonly<Record<SampleName, VendorTemplate>> = { ...VENDORS, ...CUSTOM_BLOCKS };

/** Schemes that a source may use in place of that of its type. */
const OTHER_SCHEMES: Readonly<Record<string, VerificationScheme>> = {
  bearer: { kind: 'bearer' },
  basic: { kind: 'basic' },
  header: ORB_TOKEN,
  standardWebhooks: { kind: 'standardWebhooks' },
  urlToken: { kind: 'urlToken' },
};

const VARIABLE = 'ORB_SIGNAL_SECRET';
const MAX_SECRET_BYTES = 64 * 1024;
const ID_LENGTH = 26;

export const SAMPLE: Flag = {
  name: 'sample',
  value: 'VENDOR',
  text: 'the sample of this vendor',
  values: SAMPLE_NAMES,
};

/** Flags about what a sample says, and how it is proven. */
export const SAMPLE_FLAGS: readonly Flag[] = [
  { name: 'orb', value: 'ORB_ID', text: 'make the sample about this Orb (acme.mailer@1.2.0)' },
  {
    name: 'secret-file',
    value: 'FILE',
    text: `file with the secret of the source (else ${VARIABLE}); - is standard input`,
  },
  {
    name: 'scheme',
    value: 'SCHEME',
    text: 'spec.auth.scheme of the source, when it is not the one of its type',
    values: Object.keys(OTHER_SCHEMES),
  },
];

/** The vendor whose sample is meant. @param type of the source, when no flag names a vendor @throws Failure (64) */
export function sampleName(args: Args, type: string): SampleName {
  const name = args.one('sample') ?? type;
  if (isSampleName(name)) return name;
  throw usage(`there is no sample of ${printable(name)}: --sample is one of ${SAMPLE_NAMES.join(', ')}`);
}

/** Unique to this call: 26 letters and digits. */
function newId(io: Io): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  return Array.from(io.random(ID_LENGTH), (byte) => digits[byte % digits.length]).join('');
}

/** A sample of a moment. */
export interface Sample {
  readonly name: SampleName;
  readonly body: string;
  readonly mediaType: string;
  /** New id of its delivery. */
  readonly id: string;
}

/** The sample of now, about the Orb of `--orb`. @throws Failure it names no Orb */
export function sampleOf(name: SampleName, args: Args, io: Io): Sample {
  const id = newId(io);
  const fresh = freshSample(name, { now: io.clock.now(), id });
  const orb = args.one('orb');
  const body = orb === undefined ? fresh : sampleAbout(fresh, orbIdOf(orb));
  if (body === undefined)
    throw invalid(
      `the sample of ${name} names no Orb`,
      'leave --orb out, and name the Orb in spec.match of the source',
    );
  return { name, body, mediaType: TEMPLATES[name].mediaTypes[0] ?? 'application/json', id };
}

/** The secret of the source; undefined: none is given. @throws Failure the file can't be read */
export async function givenSecret(args: Args, io: Io): Promise<Uint8Array | undefined> {
  const file = args.one('secret-file');
  if (file !== undefined) return readInput(file, MAX_SECRET_BYTES, io);
  const variable = io.env[VARIABLE];
  return variable === undefined || variable === '' ? undefined : new TextEncoder().encode(variable);
}

/** The same, but without one it ends. @throws Failure (64) */
export async function neededSecret(args: Args, io: Io): Promise<Uint8Array> {
  const secret = await givenSecret(args, io);
  if (secret === undefined) throw usage(`the secret of the source is missing: --secret-file FILE, or ${VARIABLE}`);
  return secret;
}

const primitives: Pick<WebhookPrimitives, 'hmac' | 'md5'> = {
  hmac: (algorithm, key, parts) => {
    const hmac = createHmac(algorithm, key);
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  },
  md5: (bytes) => createHash('md5').update(bytes).digest(),
};

function schemeOf(args: Args, name: SampleName): VerificationScheme {
  const given = args.one('scheme');
  if (given === undefined) return TEMPLATES[name].scheme;
  const scheme = Object.hasOwn(OTHER_SCHEMES, given) ? OTHER_SCHEMES[given] : undefined;
  if (scheme !== undefined) return scheme;
  throw usage(`--scheme ${printable(given)}: one of ${Object.keys(OTHER_SCHEMES).join(', ')}`);
}

/** The sample with the proof of its vendor. @throws Failure the secret can't be one of this scheme */
export function provenSample({ name, body, id }: Sample, secret: Uint8Array, args: Args, io: Io): SignedDelivery {
  const scheme = schemeOf(args, name);
  const signed = signDelivery(scheme, { body, secret, now: io.clock.now(), id }, primitives);
  if (!signed.ok) throw invalid(`the secret does not fit the scheme ${scheme.kind}: ${signed.fault}`);
  return signed.delivery;
}
