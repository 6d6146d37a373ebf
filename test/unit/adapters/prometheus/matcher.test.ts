import { expect } from 'chai';
import fc from 'fast-check';
import { parseMatcher } from '../../../../adapters/prometheus/matcher.ts';

describe('parseMatcher', () => {
  const taken: readonly (readonly [why: string, text: string, matcher: string])[] = [
    ['one label', 'job="orb-api"', 'job="orb-api"'],
    ['several', 'job="orb-api",namespace="orb-system"', 'job="orb-api",namespace="orb-system"'],
    ['every operator', 'a="1",b!="2",c=~"3|4",d!~"5.+"', 'a="1",b!="2",c=~"3|4",d!~"5.+"'],
    ['spaces between', ' a = "1" , b=~ "2" ', 'a="1",b=~"2"'],
    ['what PromQL separates by, in quotes', 'a="},{b=\\"c\\" or vector(1)"', 'a="},{b=\\"c\\" or vector(1)"'],
    ['a backslash of a regular expression', String.raw`a=~"b\\.c"`, String.raw`a=~"b\\.c"`],
    ['an empty text', 'a=""', 'a=""'],
    ['other letters', 'a="ü"', 'a="ü"'],
  ];
  for (const [why, text, matcher] of taken)
    it(`takes ${why}`, () => expect(parseMatcher(text)).to.deep.equal({ ok: true, matcher }));

  const refused: readonly (readonly [why: string, text: string, message: string])[] = [
    ['nothing', '', 'no matcher at ""'],
    ['braces', '{job="orb-api"}', 'no matcher at'],
    ['the end of a selector', 'job="a"} or vector(1', 'no matcher at'],
    ['the end of a selector after a comma', 'job="a",} or vector(1', 'no matcher at'],
    ['a comma at the end', 'job="a",', 'no matcher at'],
    ['no quotes', 'job=orb-api', 'no matcher at'],
    ['other quotes', "job='orb-api'", 'no matcher at'],
    ['quotes that nobody closes', 'job="a', 'no matcher at'],
    ['quotes that an escape keeps open', String.raw`job="a\"`, 'no matcher at'],
    ['an escape that PromQL has not', String.raw`job=~"a\.b"`, 'no matcher at'],
    ['two lines', 'job="a\nb"', 'no matcher at'],
    ['a comment', 'job="a" # x', 'no matcher at'],
    ['a label in quotes', '"job"="a"', 'no matcher at'],
    ['a number', 'job=1', 'no matcher at'],
    ['another operator', 'job=="a"', 'no matcher at'],
    ['the name of the metric', '__name__="up"', '__name__ is a label of the metrics themselves'],
    ['a label of ours', 'job="a",source="probe"', 'source is a label of the metrics themselves'],
    ['too long a text', `job="${'a'.repeat(512)}"`, 'more than 512 characters'],
  ];
  for (const [why, text, message] of refused)
    it(`refuses ${why}`, () => {
      const parsed = parseMatcher(text);
      expect(parsed.ok).to.equal(false);
      expect(parsed).to.have.property('message').that.includes(message);
    });

  it('never throws, and reads what it gives back as the same', () => {
    const piece = fc.constantFrom('a', '=', '"', '\\', ',', '~', '!', ' ', '}', 'n', 'job="a"', '\n');
    const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parseMatcher(text);
        if (parsed.ok) expect(parseMatcher(parsed.matcher)).to.deep.equal(parsed);
      }),
    );
  });
});
