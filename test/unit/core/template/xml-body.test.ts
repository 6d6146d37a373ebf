import { expect } from 'chai';
import { readXmlTemplate } from '../../../../core/template/xml-body.ts';

describe('readXmlTemplate', () => {
  for (const text of ['', 'x', '<a/>', '<a>x</a>', '<!--x--><?x y?><a b="c">x<![CDATA[y]]></a>'])
    it(`reads ${JSON.stringify(text)}`, () => expect(readXmlTemplate(text)).to.equal('read'));

  for (const text of ['<', '<<a/>', '<a', '<a b=c/>', '<!-- x', '<!DOCTYPE a [<!ENTITY b "c">]><a/>'])
    it(`takes ${JSON.stringify(text)} for no XML`, () => expect(readXmlTemplate(text)).to.equal('not-xml'));
});
