import { expect } from 'chai';
import { serverLimits } from '../../../../api-server/http/server-limits.ts';
import { parseSettings, type Settings } from '../../../../standalone/settings.ts';

function boundsOf(...argv: readonly string[]): Settings['httpBounds'] {
  const parsed = parseSettings(argv, '/bundled');
  if (parsed.kind !== 'start') throw new TypeError(JSON.stringify(parsed));
  return parsed.settings.httpBounds;
}

describe('bounds of the HTTP side', () => {
  it('have the defaults that a server without settings has', () => {
    const defaults = boundsOf();
    expect(serverLimits).to.include(defaults);
    expect(defaults).to.include({
      connections: 8192,
      connectionsPerAddress: 1024,
      headerBytes: 16_384,
      headerCount: 200,
    });
  });

  it('are all settings', () => {
    const given = boundsOf(
      '--max-connections=1',
      '--max-connections-per-address=2',
      '--max-pipelined-requests=3',
      '--max-unread-bytes=4',
      '--max-body-bytes=2000005',
      '--max-body-bytes-per-address=2000006',
      '--max-body-bytes-per-key=2000007',
      '--max-header-bytes=1028',
      '--max-headers=19',
      '--headers-timeout=10s',
      '--request-timeout=11s',
      '--keep-alive=12s',
    );
    expect(given).to.deep.equal({
      connections: 1,
      connectionsPerAddress: 2,
      waitingPerConnection: 3,
      unreadBytes: 4,
      partBytes: 2_000_005,
      partBytesPerAddress: 2_000_006,
      partBytesPerKey: 2_000_007,
      headerBytes: 1028,
      headerCount: 19,
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 11_000,
      keepAliveMs: 12_000,
    });
  });

  it('may be off', () => {
    const off = ['connections', 'connections-per-address', 'unread-bytes', 'body-bytes', 'body-bytes-per-key'];
    expect(boundsOf(...off.map((name) => `--max-${name}=0`))).to.include({
      connections: 0,
      connectionsPerAddress: 0,
      unreadBytes: 0,
      partBytes: 0,
      partBytesPerKey: 0,
    });
  });

  it('leave room for the largest body', () => {
    for (const name of ['--max-body-bytes', '--max-body-bytes-per-address', '--max-body-bytes-per-key']) {
      expect(() => boundsOf(`${name}=1048575`), name).to.throw(/1048575 is less than --max-request-bytes 1048576/);
      expect(() => boundsOf(`${name}=1048576`), name).to.not.throw();
    }
  });
});
