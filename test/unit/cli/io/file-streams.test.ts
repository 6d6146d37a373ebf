import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { fileStreams } from '../../../../cli/io/file-streams.ts';
import { refusal } from '../../../support/refusal.ts';

const never = new AbortController().signal;

/** A standard output that answers each write in its own way. */
const stdout = (write: (done: (error?: Error) => void) => void): Writable =>
  new Writable({ write: (_chunk, _encoding, done) => write(done) });

describe('fileStreams', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orb-streams-'));
  const path = join(folder, 'file');
  beforeEach(() => writeFileSync(path, 'x'.repeat(300_000)));
  after(() => rmSync(folder, { recursive: true }));

  it('sends a whole file and leaves the stream open', async () => {
    let sizeBytes = 0;
    const out = new PassThrough().on('data', (chunk: Buffer) => (sizeBytes += chunk.length));
    const files = fileStreams(new PassThrough(), out);
    const sent = files.toStdout(path, never);
    expect(files.isSending()).to.equal(true);
    await sent;
    expect([sizeBytes, out.writableEnded, files.isSending()]).to.deep.equal([300_000, false, false]);
  });

  it('fails when the reader goes away, be it at the last byte', async () => {
    const gone = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    for (const good of [0, 2, 4]) {
      let writes = 0;
      const out = stdout((done) => setImmediate(() => done(writes++ < good ? undefined : gone)));
      const failure = await refusal(fileStreams(new PassThrough(), out).toStdout(path, never));
      expect(String(failure)).to.include('the file was not sent whole: the reader closed the stream');
    }
  });

  it('gives up with the reason of the signal', async () => {
    const stop = new AbortController();
    const out = stdout(() => stop.abort(new Error('stopped')));
    expect(String(await refusal(fileStreams(new PassThrough(), out).toStdout(path, stop.signal)))).to.equal(
      'Error: stopped',
    );
    const stuck = new PassThrough();
    const reading = refusal(fileStreams(stuck, out).fromStdin(join(folder, 'in'), stop.signal));
    expect(String(await reading)).to.equal('Error: stopped');
  });

  it('makes a private file of what comes in', async () => {
    const made = join(folder, 'made');
    await fileStreams(Readable.from([Buffer.from('some')]), new PassThrough()).fromStdin(made, never);
    expect([readFileSync(made, 'utf8'), statSync(made).mode & 0o777]).to.deep.equal(['some', 0o600]);
  });
});
