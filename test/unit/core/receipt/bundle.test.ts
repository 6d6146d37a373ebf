import { expect } from 'chai';
import fc from 'fast-check';
import { formatBundle, parseBundle, type Bundle } from '../../../../core/receipt/bundle.ts';

const good: Bundle = { format: 'orb-bundle/1', jws: 'a.b.c', tlog_proof: 'p', keys_jws: 'd.e.f' };
const text = '{"format":"orb-bundle/1","jws":"a.b.c","tlog_proof":"p","keys_jws":"d.e.f"}';
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

describe('parseBundle (trust.md §2.2)', () => {
  const taken: readonly [string, string][] = [
    ['the text as it is served', `${text}\n`],
    ['no final newline', text],
    ['white space between the members', text.replaceAll(',', ' ,\n\t').replace('":', '" : ')],
    ['members in another order', '{"keys_jws":"d.e.f","tlog_proof":"p","jws":"a.b.c","format":"orb-bundle/1"}'],
    ['an escape in a value', text.replace('"p"', '"\\u0070"')],
  ];
  for (const [why, given] of taken) {
    it(`takes ${why}`, () => expect(parseBundle(bytes(given))).to.deep.equal(good));
  }

  it('takes null as proof: the entry is in no tree yet', () => {
    expect(parseBundle(bytes(text.replace('"p"', 'null')))).to.deep.equal({ ...good, tlog_proof: null });
  });

  const refused: readonly [string, string | Uint8Array][] = [
    ['nothing', ''],
    ['an empty object', '{}'],
    ['a list', `[${text}]`],
    ['two final newlines', `${text}\n\n`],
    ['CR LF at the end', `${text}\r\n`],
    ['a space at the end', `${text} `],
    ['a space before it', ` ${text}`],
    ['a second object behind it', text + text],
    ['a byte order mark', `\ufeff${text}`],
    ['bytes that are not UTF-8', Buffer.from(text.replace('"p"', '"\xff"'), 'latin1')],
    ['another format', text.replace('bundle/1', 'bundle/2')],
    ['a member missing', text.replace('"tlog_proof":"p",', '')],
    ['a member more', text.replace('{', '{"extra":"x",')],
    ['a member twice', text.replace('{', '{"jws":"x",')],
    ['a member twice with the same value', text.replace('{', '{"jws":"a.b.c",')],
    ['a member twice, once behind an escape', text.replace('{', '{"\\u006aws":"x",')],
    ['a name behind an escape', text.replace('"jws"', '"\\u006aws"')],
    ['a list in place of a text', text.replace('"p"', '["p"]')],
    ['an object in place of a text', text.replace('"a.b.c"', '{"jws":"a.b.c"}')],
    ['a number in place of a text', text.replace('"p"', '1')],
    ['null in place of the receipt', text.replace('"a.b.c"', 'null')],
    ['null in place of the keys', text.replace('"d.e.f"', 'null')],
    ['a comma behind the last member', text.replace('}', ',}')],
    ['no comma between two members', text.replace('","jws', '" "jws')],
    ['a comment', text.replace('{', '{/**/')],
    ['a control character in a value', text.replace('"p"', '"p\n"')],
    ['an unknown escape in a value', text.replace('"p"', '"\\p"')],
    ['__proto__ as a member', text.replace('{', '{"__proto__":"x",')],
  ];
  for (const [why, given] of refused) {
    it(`refuses ${why}`, () => {
      expect(parseBundle(typeof given === 'string' ? bytes(given) : given)).to.equal(undefined);
    });
  }

  const field = fc.string({ unit: 'binary' });

  it('reads back every bundle that it writes', () => {
    fc.assert(
      fc.property(field, fc.option(field), field, (jws, proof, keys) => {
        const bundle: Bundle = { format: 'orb-bundle/1', jws, tlog_proof: proof, keys_jws: keys };
        expect(parseBundle(bytes(formatBundle(bundle)))).to.deep.equal(bundle);
      }),
    );
  });

  it('never throws, and what it takes JSON.parse reads alike', () => {
    const piece = fc.constantFrom(...text.split(/(?<=[",:{}])/), '\\', '\\u006a', 'null', '\n', ' ', '"', 'é');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
        (given) => {
          const bundle = parseBundle(bytes(given));
          if (bundle !== undefined) expect(JSON.parse(given)).to.deep.equal(bundle);
        },
      ),
    );
  });
});
