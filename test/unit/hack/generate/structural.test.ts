import { expect } from 'chai';
import { toStructural, type Extra } from '../../../../hack/generate/structural.ts';

const convert = (schema: object, extras: Readonly<Record<string, Extra>> = {}): unknown =>
  toStructural(
    { schema: { $defs: { name: { type: 'string', maxLength: 3, pattern: '^"a$' } }, ...schema }, extras },
    schema,
    '',
  );

const inWords = (schema: object, extras: Readonly<Record<string, Extra>> = {}): unknown =>
  toStructural({ schema: {}, extras, inWords: true }, schema, '');

describe('toStructural', () => {
  it('writes references out, with the description that stands beside them', () => {
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/name', description: 'Here.' } } };
    expect(convert(schema)).to.deep.equal({
      type: 'object',
      properties: { a: { description: 'Here.', type: 'string', pattern: '^"a$', maxLength: 3 } },
    });
  });

  it('says of a closed object nothing but its members', () => {
    const schema = {
      title: 'T',
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'boolean' } },
      additionalProperties: false,
    };
    expect(convert(schema)).to.deep.equal({ type: 'object', required: ['a'], properties: { a: { type: 'boolean' } } });
  });

  it('refuses names that nobody described: a message would be a pattern', () => {
    const names = { type: 'object', propertyNames: { $ref: '#/$defs/name' }, additionalProperties: { type: 'string' } };
    expect(() => convert(names)).to.throw(TypeError, 'in words');
  });

  it('says of a pattern in words what to write, where a rule can', () => {
    const text = { description: 'A short name.', type: 'string', minLength: 1, maxLength: 3, pattern: '^a$' };
    expect(inWords(text)).to.deep.equal({
      description: 'A short name.',
      type: 'string',
      maxLength: 3,
      'x-kubernetes-validations': [{ rule: 'self.matches("^a$")', message: 'A short name. (schema-pattern)' }],
    });
    expect(inWords({ ...text, pattern: '^/' })).to.have.nested.property(
      'x-kubernetes-validations[0].message',
      'A short name. Write a text that begins with /. (schema-pattern)',
    );
    const plain: readonly object[] = [
      { ...text, maxLength: 5000, minLength: 0 },
      { ...text, format: 'date-time' },
      { type: 'string', maxLength: 3, pattern: '^a$' },
    ];
    for (const schema of plain) expect(inWords(schema)).to.include({ pattern: '^a$' });
  });

  it('says a pattern with a format where it is told how', () => {
    const text = { description: 'A day.', type: 'string', maxLength: 3, pattern: '^[0-9]$', format: 'date' };
    expect(inWords(text, { '': { formatRule: "self != '0'" } })).to.deep.equal({
      description: 'A day.',
      type: 'string',
      maxLength: 3,
      'x-kubernetes-validations': [
        { rule: `self.matches("^[0-9]$") && self != '0'`, message: 'A day. (schema-pattern)' },
      ],
    });
  });

  it('says of a length in words what to write', () => {
    const text = { description: 'A condition.', type: 'string', minLength: 1, maxLength: 4096 };
    expect(inWords(text)).to.deep.equal({
      description: 'A condition.',
      type: 'string',
      maxLength: 4096,
      'x-kubernetes-validations': [
        { rule: 'size(self) >= 1', message: 'A condition. Write at least 1 character. (schema-minLength)' },
      ],
    });
    expect(inWords({ ...text, minLength: 2 })).to.have.nested.property(
      'x-kubernetes-validations[0].message',
      'A condition. Write at least 2 characters. (schema-minLength)',
    );
    expect(inWords({ ...text, minLength: 0 })).to.not.have.property('x-kubernetes-validations');
    expect(convert(text)).to.include({ minLength: 1 });
  });

  it('leaves a pattern out where no rule sees the text: an admission policy says it', () => {
    const text = { description: 'A key.', type: 'string', minLength: 1, maxLength: 3, pattern: '^a$' };
    const items = { description: 'A key.', type: 'string', maxLength: 3 };
    expect(inWords({ oneOf: [{ type: 'array', maxItems: 2, items: text }, text] })).to.deep.include({
      items,
      maxItems: 2,
    });
    expect(inWords(text, { '': { byAdmission: true } })).to.deep.equal(items);
    expect(convert({ oneOf: [{ type: 'array', items: text }, text] })).to.have.nested.property('items.pattern', '^a$');
  });

  it('keeps what an open object and an open value hold', () => {
    const open = { 'x-kubernetes-preserve-unknown-fields': true };
    expect(convert({ type: 'object', additionalProperties: true })).to.deep.equal({ type: 'object', ...open });
    expect(convert({ description: 'Any.' })).to.deep.equal({ description: 'Any.', ...open });
  });

  it('makes a rule of the names of a map, quoted for CEL', () => {
    const schema = {
      type: 'object',
      propertyNames: { $ref: '#/$defs/name', description: 'Begins with a.' },
      additionalProperties: { type: 'string' },
    };
    expect(convert(schema)).to.deep.equal({
      type: 'object',
      additionalProperties: { type: 'string' },
      'x-kubernetes-validations': [
        {
          rule: String.raw`self.all(name, size(name) <= 3 && name.matches("^\"a$"))`,
          message: 'A name does not fit. Begins with a. (schema-propertyNames)',
        },
      ],
    });
  });

  it('makes a rule of a minimum with a fraction, and of no other', () => {
    expect(convert({ type: 'number', minimum: 1.1 })).to.deep.equal({
      type: 'number',
      minimum: 1.1,
      'x-kubernetes-validations': [{ rule: 'self >= 1.1', message: 'Write at least 1.1. (schema-minimum)' }],
    });
    expect(convert({ type: 'number', minimum: 1 })).not.to.have.property('x-kubernetes-validations');
  });

  it('makes no rule of a map of any value, which rules can not see', () => {
    const schema = {
      type: 'object',
      propertyNames: { $ref: '#/$defs/name' },
      additionalProperties: { description: 'Any.' },
    };
    expect(convert(schema)).not.to.have.property('x-kubernetes-validations');
  });

  it('makes lists atomic, and maps by name where it is told so', () => {
    const list = { type: 'array', maxItems: 2, items: { type: 'string' } };
    expect(convert(list)).to.include({ 'x-kubernetes-list-type': 'atomic' });
    expect(convert(list, { '': { mapKeys: ['a'] } })).to.deep.include({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a'],
    });
  });

  it('bounds a list or a map without saying which of them it is', () => {
    const item = { type: 'string', maxLength: 3 };
    const oneOf = [
      { type: 'array', maxItems: 2, items: item },
      { type: 'object', maxProperties: 4, additionalProperties: item },
    ];
    expect(convert({ description: 'Both.', oneOf })).to.deep.equal({
      description: 'Both.',
      'x-kubernetes-preserve-unknown-fields': true,
      maxItems: 2,
      items: item,
      maxProperties: 4,
      additionalProperties: item,
    });
  });

  it('refuses a reference to nothing', () => {
    expect(() => convert({ $ref: '#/$defs/nobody' })).to.throw('nothing is at #/$defs/nobody');
  });
});
