// Run by `helm test`: the API answers, and is ready for requests.
import { get as getPlain } from 'node:http';
import { get as getTls } from 'node:https';

const base = new URL(process.env.ORB_SERVER);
const get = base.protocol === 'https:' ? getTls : getPlain;
for (const path of ['/health', '/readyz']) {
  get(new URL(path, base), { timeout: 10_000 }, (answer) => {
    process.stdout.write(`${path} ${answer.statusCode}\n`);
    answer.resume();
    if (answer.statusCode !== 200) process.exitCode = 1;
  })
    .on('timeout', function onTimeout() {
      this.destroy(new Error('no answer within 10 s'));
    })
    .on('error', (error) => {
      process.stdout.write(`${path} ${error.message}\n`);
      process.exitCode = 1;
    });
}
