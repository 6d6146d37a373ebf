// For `node --import`: writes the URL of each module that the process loads to the file LOADED_MODULES, one a line.
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const { LOADED_MODULES: file = '' } = process.env;
registerHooks({
  load: (url, context, next) => {
    appendFileSync(file, `${url}\n`);
    return next(url, context);
  },
});
