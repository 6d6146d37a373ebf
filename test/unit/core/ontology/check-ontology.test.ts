import { expect } from 'chai';
import { readdir, readFile } from 'node:fs/promises';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import { parseDocuments } from '../../../../core/manifest/parse-text.ts';
import { checkOntology } from '../../../../core/ontology/check-ontology.ts';
import { ONTOLOGY_RULES } from '../../../../core/ontology/rules.ts';
import { ORB_ONTOLOGY } from '../../../../core/ontology/orb-ontology.ts';
import type { Manifest } from '../../../../crds/manifest.ts';
import { checkSchema } from '../../../../core/manifest/check-schema.ts';
import { mail } from '../manifest/a-manifest.ts';
import { classifier, LATER } from './an-ontology.ts';

const EXAMPLES = new URL('../../../../manifests/', import.meta.url);
const OLDER = new Set(['echo.yaml', 'lookup.yaml', 'mail.yaml']);

async function readManifest(file: string): Promise<Manifest> {
  const [parsed] = parseDocuments(await readFile(new URL(file, EXAMPLES), 'utf8'), 'yaml');
  const value = parsed?.ok === true ? parsed.value : undefined;
  const checked = isJsonObject(value) ? checkSchema('manifest', value) : undefined;
  if (checked?.ok !== true) throw new Error(`${file} is no manifest`);
  return checked.value;
}

describe('checkOntology', () => {
  it('lets a manifest with the members of the specification alone pass, with advice', () => {
    const checked = checkSchema('manifest', mail);
    if (!checked.ok) throw new Error('the manifest is valid');
    expect(checkOntology(checked.value).map(({ severity, code }) => `${severity} ${code}`)).to.deep.equal([
      'warning ontology-no-capability',
    ]);
  });

  it('says every code of the table', async () => {
    const text = await readFile(new URL('../../../../docs/design/trust.md', import.meta.url), 'utf8');
    const listed = new Set([...text.matchAll(/`(ontology-[a-z-]+)`/g)].map(([, code = '']) => code));
    const bad = [
      classifier(
        { capabilities: ['image.describe', 'no.such', 'x-acme.y', 'text.sort'], effect: 'reversible' },
        { method: 'GET', body_template: undefined },
      ),
      classifier({
        capabilities: undefined,
        inputs: { text: { term: 'credential', type: 'object' } },
        outputs: { label: { term: 'card-number' } },
      }),
      classifier({ capabilities: ['record.write'], effect: 'none' }),
      classifier({
        effect: 'reversible',
        swap_config: { fallbacks: ['b'] },
        providers: { b: { execution: { url: 'https://b.example/' } } },
      }),
    ];
    const said = new Set(bad.flatMap((manifest) => checkOntology(manifest, LATER)).map(({ code }) => code));
    expect([...said].toSorted()).to.deep.equal([...listed].toSorted());
    expect([...said].toSorted()).to.deep.equal(Object.keys(ONTOLOGY_RULES).toSorted());
  });

  it('has nothing to say about the examples that use it, which are five', async () => {
    const files = (await readdir(EXAMPLES)).filter((file) => file.endsWith('.yaml') && !OLDER.has(file));
    expect(files).to.have.length(5);
    for (const file of files) expect(checkOntology(await readManifest(file)), file).to.deep.equal([]);
  });

  it('takes every example', async () => {
    for (const file of OLDER) {
      const codes = checkOntology(await readManifest(file)).map(({ code }) => code);
      expect(codes, file).to.deep.equal(file === 'echo.yaml' ? [] : ['ontology-no-capability']);
    }
  });
});

/** trust.md §8.2: names by JSON types. */
const TERMS: readonly [names: string, types: readonly string[], sensitivity: string][] = [
  [
    'text, subject, label, identifier, source-code, url, language-tag, country-code, currency-code, timestamp, date',
    ['string'],
    'none',
  ],
  ['email-address, phone-number, person-name, postal-address', ['string'], 'personal'],
  ['image, audio, file', ['string'], 'none'],
  ['money-amount', ['string', 'integer', 'number'], 'none'],
  ['latitude, longitude, quantity, measurement', ['number', 'integer'], 'none'],
  ['duration-ms, token-count', ['integer'], 'none'],
  ['flag', ['boolean'], 'none'],
  ['json', ['object', 'array'], 'none'],
  ['list, vector', ['array'], 'none'],
  ['credential, card-number', ['string'], 'secret'],
];

/** trust.md §8.2: needed input terms → needed output terms, by minimum effect. */
const CAPABILITIES: Readonly<Record<string, readonly string[]>> = {
  none: [
    'text.generate text → text',
    'text.summarize text → text',
    'text.translate text,language-tag → text',
    'text.classify text → label',
    'text.moderate text → label',
    'text.embed text → vector',
    'image.generate text → image',
    'image.describe image → text',
    'speech.transcribe audio → text',
    'speech.synthesize text → audio',
    'document.extract file → text',
    'file.convert file → file',
    'geo.geocode postal-address → latitude,longitude',
    'weather.read latitude,longitude → measurement',
    'finance.convert money-amount,currency-code → money-amount',
    'identity.verify person-name → label',
    'record.read identifier → json',
    'web.fetch url → text',
    'web.search text → json',
    'http.call  → ',
  ],
  reversible: [
    'ticket.create text → identifier',
    'calendar.event.create timestamp → identifier',
    'record.write json → identifier',
    'code.execute source-code → text',
  ],
  irreversible: [
    'message.email.send email-address,text → ',
    'message.sms.send phone-number,text → ',
    'message.chat.post text → ',
    'notify.push text → ',
    'payment.charge money-amount,currency-code → identifier',
    'payment.refund identifier → ',
  ],
};

describe('version 1.0.0 of the ontology', () => {
  it('has these terms and no other', () => {
    const expected = TERMS.flatMap(([names, types, sensitivity]) =>
      names.split(', ').map((name) => [name, { types, sensitivity }] as const),
    );
    const found = Object.entries(ORB_ONTOLOGY.terms).map(([name, { types, sensitivity }]) => [
      name,
      { types, sensitivity },
    ]);
    expect(ORB_ONTOLOGY.version).to.equal('1.0.0');
    expect(Object.fromEntries(found)).to.deep.equal(Object.fromEntries(expected));
  });

  it('has these capabilities and no other', () => {
    const found = Object.entries(ORB_ONTOLOGY.capabilities).map(
      ([name, { effect, inputs, outputs }]) => `${effect} ${name} ${inputs.join(',')} → ${outputs.join(',')}`,
    );
    const expected = Object.entries(CAPABILITIES).flatMap(([effect, rows]) => rows.map((row) => `${effect} ${row}`));
    expect(found.toSorted()).to.deep.equal(expected.toSorted());
  });
});
