import { expect } from 'chai';
import fc from 'fast-check';
import { buffer } from 'node:stream/consumers';
import {
  forwardedStream,
  PortForwardError,
  type ForwardedStream,
} from '../../../../adapters/kube/port-forward-stream.ts';

interface Wire {
  readonly forwarded: ForwardedStream;
  readonly sent: Uint8Array[];
  readonly calls: string[];
}

function aWire(): Wire {
  const sent: Uint8Array[] = [];
  const calls: string[] = [];
  const forwarded = forwardedStream({
    send: (message, done) => {
      sent.push(message);
      done();
    },
    close: () => void calls.push('close'),
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
  });
  return { forwarded, sent, calls };
}

const message = (channel: number, ...bytes: readonly number[]): Uint8Array => Uint8Array.of(channel, ...bytes);
const open = ({ forwarded }: Wire): void => {
  forwarded.onMessage(message(0, 0x90, 0x1f));
  forwarded.onMessage(message(1, 0x90, 0x1f));
};

describe('forwardedStream', () => {
  it('gives the bytes of the data channel, without the port at its beginning', async () => {
    const wire = aWire();
    open(wire);
    wire.forwarded.onMessage(message(0, 72, 105));
    wire.forwarded.onMessage(message(0, 33));
    wire.forwarded.onClose();
    expect((await buffer(wire.forwarded.stream)).toString()).to.equal('Hi!');
  });

  it('gives the same bytes however they are cut into messages, also within the port', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), fc.array(fc.nat(8)), async (bytes, cuts) => {
        const wire = aWire();
        let rest = Buffer.concat([Uint8Array.of(1, 2), bytes]);
        for (const cut of [...cuts, rest.length]) {
          wire.forwarded.onMessage(Buffer.concat([Uint8Array.of(0), rest.subarray(0, cut)]));
          rest = rest.subarray(cut);
        }
        wire.forwarded.onClose();
        expect(await buffer(wire.forwarded.stream)).to.deep.equal(Buffer.from(bytes));
      }),
    );
  });

  it('sends what is written on the data channel, and closes with its end', async () => {
    const { forwarded, sent, calls } = aWire();
    forwarded.stream.end('Hi');
    await new Promise((resolve) => forwarded.stream.once('finish', resolve));
    expect(sent).to.deep.equal([Buffer.from([0, 72, 105])]);
    expect(calls).to.include('close');
  });

  it('reports a failure to send to the writer', async () => {
    const { stream } = forwardedStream({
      send: (_bytes, done) => done(new Error('gone')),
      close: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
    });
    const failed = new Promise((resolve) => stream.once('error', resolve));
    stream.write('x');
    expect(String(await failed)).to.equal('Error: gone');
  });

  const errors: readonly [string, string, boolean][] = [
    [
      'a port where nothing listens',
      'failed to connect to localhost:8080 inside namespace "x": connection refused',
      true,
    ],
    ['anything else', 'error forwarding port 8080: broken pipe', false],
  ];
  for (const [why, text, isRefused] of errors) {
    it(`fails with what the kubelet says of ${why}`, async () => {
      const wire = aWire();
      open(wire);
      const failed = new Promise((resolve) => wire.forwarded.stream.once('error', resolve));
      wire.forwarded.onMessage(message(1, ...Buffer.from(`${text}\n`)));
      const error = await failed;
      expect(error instanceof PortForwardError && [error.message, error.isRefused]).to.deep.equal([text, isRefused]);
    });
  }

  it('asks the other side to wait while nobody reads, and goes on when somebody does', async () => {
    const wire = aWire();
    open(wire);
    wire.forwarded.onMessage(Buffer.concat([Uint8Array.of(0), Buffer.alloc(1024 * 1024)]));
    expect(wire.calls).to.include('pause').and.not.to.include('resume');
    wire.forwarded.stream.resume();
    await new Promise((resolve) => setImmediate(resolve));
    expect(wire.calls.at(-1)).to.equal('resume');
  });

  it('ignores what comes after it was destroyed', () => {
    const wire = aWire();
    wire.forwarded.stream.destroy();
    wire.forwarded.onMessage(message(0, 1, 2, 3));
    wire.forwarded.onClose();
    expect(wire.forwarded.stream.readableLength).to.equal(0);
  });
});
