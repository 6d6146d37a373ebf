import { expect } from 'chai';
import {
  decodeHex,
  decodeSignature,
  listedSignatures,
  pairedSignatures,
  versionedSignatures,
} from '../../../../../core/ingestion/verification/signature-headers.ts';

const VERSIONED = { prefix: 'v1=', separator: ',', encoding: 'hex' } as const;
const PAIRS = { timestamp: 't', signature: 'v1' };
const hexOf = (found: readonly Uint8Array[]): readonly string[] =>
  found.map((bytes) => Buffer.from(bytes).toString('hex'));
const list = (count: number): string => Array.from({ length: count }, () => 'v1=aa').join(',');
const ofLength = (length: number): string => 'a'.repeat(length - 6).concat(',v1=aa');

describe('bytes of a signature', () => {
  it('are read from hexadecimal digits of either case, two for each byte', () => {
    expect(decodeHex('00fF0a10')).to.deep.equal(Uint8Array.of(0, 255, 10, 16));
    for (const text of ['', '0', '00f', 'zz', '0x00', '00 ff', 'ff\n'])
      expect(decodeHex(text), text).to.equal(undefined);
  });

  it('are read from base64 only as an encoder writes it', () => {
    expect(decodeSignature('AP8K', 'base64')).to.deep.equal(Uint8Array.of(0, 255, 10));
    for (const text of ['', '=', 'AP8K=', 'AP8*', 'A', 'AP9=x'])
      expect(decodeSignature(text, 'base64'), text).to.equal(undefined);
    expect(decodeSignature('00ff0a10', 'hex')).to.deep.equal(Uint8Array.of(0, 255, 10, 16));
  });
});

describe('a header that lists signatures', () => {
  it('gives those with the prefix, in order, and no others', () => {
    expect(hexOf(listedSignatures('v1=aa,v0=bb,v1=cc,v1=zz,cc', VERSIONED))).to.deep.equal(['aa', 'cc']);
  });

  it('is one signature without a separator', () => {
    const alone = { prefix: '', separator: '', encoding: 'hex' } as const;
    expect(hexOf(listedSignatures('aabb', alone))).to.deep.equal(['aabb']);
    expect(listedSignatures('aa,bb', alone)).to.deep.equal([]);
  });

  it('may hold eight signatures, and none are read from one with nine', () => {
    expect(listedSignatures(list(8), VERSIONED)).to.have.length(8);
    expect(listedSignatures(list(9), VERSIONED)).to.deep.equal([]);
  });

  it('may have 4096 characters, and nothing is read from a longer one', () => {
    expect(listedSignatures(ofLength(4096), VERSIONED)).to.have.length(1);
    expect(listedSignatures(ofLength(4097), VERSIONED)).to.deep.equal([]);
  });
});

describe('a header of pairs', () => {
  it('gives its timestamp and the signatures of the name', () => {
    const read = pairedSignatures('t=17, v1=aa,v0=bb,v1=cc,v1=zz', PAIRS, 'hex');
    expect([read?.timestamp, hexOf(read?.signatures ?? [])]).to.deep.equal(['17', ['aa', 'cc']]);
  });

  for (const header of ['v1=aa', 't=17,v1=aa,t=18', 't=17,t=17,v1=aa', 't,v1=aa', '=17,v1=aa', 't=17,'.repeat(2)])
    it(`is refused without exactly one timestamp: ${header}`, () => {
      expect(pairedSignatures(header, PAIRS, 'hex')).to.equal(undefined);
    });

  it('gives a timestamp with everything after its first equals sign, so that it is signed as it came', () => {
    expect(pairedSignatures('t=1=7,v1=aa', PAIRS, 'hex')?.timestamp).to.equal('1=7');
  });

  it('takes the text before an equals sign as the name, also when the text is empty', () => {
    expect(pairedSignatures('=17,v1=aa', { timestamp: '', signature: 'v1' }, 'hex')?.timestamp).to.equal('17');
  });
});

describe('a header of versioned signatures', () => {
  it('gives those of both versions', () => {
    const found = versionedSignatures('v1,AP8K v1a,CgoK v2,AAAA');
    expect(found.map(({ version }) => version)).to.deep.equal(['v1', 'v1a']);
    expect(hexOf(found.map(({ bytes }) => bytes))).to.deep.equal(['00ff0a', '0a0a0a']);
  });

  for (const part of ['v1', 'v1,', 'v1,AP8K,AP8K', 'v1,****', 'V1,AP8K', 'v3,AP8K', ',AP8K', ''])
    it(`ignores ${part === '' ? 'an empty part' : part}`, () => {
      expect(versionedSignatures(part)).to.deep.equal([]);
    });
});
