import { isJsonObject } from '../../../core/json/json-value.ts';
import { node } from '../../support/e2e/node.ts';

const WAIT_MS = 3000;
const SCRIPT = `
const { connect } = require('node:net');
const reach = (target) => new Promise((resolve) => {
  const cut = target.lastIndexOf(':');
  const socket = connect({ host: target.slice(0, cut), port: Number(target.slice(cut + 1)), timeout: ${WAIT_MS} });
  const say = (what) => { socket.destroy(); resolve([target, what]); };
  socket.on('connect', () => say('open'));
  socket.on('timeout', () => say('blocked'));
  socket.on('error', (error) => say(error.code === 'ECONNREFUSED' ? 'open' : error.code === 'ETIMEDOUT' ? 'blocked' : error.code));
});
Promise.all(process.argv.slice(1).map(reach)).then((all) => console.log(JSON.stringify(Object.fromEntries(all))));
`;

/**
 * Which of `address:port` a pod can reach: `open` or `blocked`. A refused connection counts as open.
 * @param pod `deploy/orb-api`
 * @throws Error the command in the pod fails
 */
export async function reachFrom(
  namespace: string,
  pod: string,
  targets: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const program = ['/nodejs/bin/node', '--eval', SCRIPT, ...targets];
  const { code, stdout, stderr } = await node.kubectl(['-n', namespace, 'exec', pod, '--', ...program]);
  if (code !== 0) throw new Error(`${pod} can't be asked: ${stderr}`);
  const value: unknown = JSON.parse(stdout);
  return isJsonObject(value) ? value : {};
}
