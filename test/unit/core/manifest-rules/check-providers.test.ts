import { checkRows, mail, other } from '../manifest/a-manifest.ts';

describe('checkProviders', () => {
  checkRows([
    [
      'a fallback that nothing defines',
      { ...mail, swap_config: { primary: 'sendgrid', fallbacks: ['mailgun'], strategy: 'latency' } },
      ['warning manifest-provider-undefined /swap_config/fallbacks/0'],
    ],
    [
      'a primary that nothing defines',
      { ...mail, swap_config: { primary: 'x' } },
      ['warning manifest-provider-undefined /swap_config/primary'],
    ],
    ['a fallback that is defined', { ...mail, swap_config: { fallbacks: ['b'] }, providers: { b: other } }, []],
    [
      'a fallback that stands twice',
      { ...mail, swap_config: { fallbacks: ['b', 'b'] }, providers: { b: other } },
      ['error manifest-fallback-duplicate /swap_config/fallbacks/1'],
    ],
    [
      'a fallback that is the provider of the manifest',
      { ...mail, swap_config: { fallbacks: ['sendgrid'] } },
      ['error manifest-fallback-duplicate /swap_config/fallbacks/0'],
    ],
    [
      'a definition of the provider that has one already',
      { ...mail, providers: { sendgrid: other } },
      ['warning manifest-provider-shadowed /providers/sendgrid'],
    ],
    [
      'a provider without an execution',
      { ...mail, providers: { b: {} } },
      ['error schema-required /providers/b/execution'],
    ],
  ]);
});
