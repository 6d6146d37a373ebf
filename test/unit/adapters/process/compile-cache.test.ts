import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const MODULE = join(import.meta.dirname, '../../../../adapters/process/compile-cache.ts');

interface Ended {
  /** Folder of the cache; '' when modules are not cached. */
  readonly cache: string;
  /** NODE_COMPILE_CACHE that child processes of the process inherit, or ''. */
  readonly inherited: string;
  readonly err: string;
}

/** A process that calls one of the functions; a cache is a setting of the whole process. */
function call(code: string, env: NodeJS.ProcessEnv = {}): Ended {
  const script = [
    `import { cacheCompiledModules, cacheForUser } from ${JSON.stringify(MODULE)};`,
    `import { getCompileCacheDir } from 'node:module';`,
    code,
    "console.log(getCompileCacheDir() ?? '');",
    "console.log(process.env.NODE_COMPILE_CACHE ?? '');",
  ].join('\n');
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env,
  });
  const [cache = '', inherited = ''] = stdout.split('\n');
  // Node adds a folder for its version and the user.
  return { cache: cache === '' ? '' : dirname(cache), inherited, err: stderr };
}

describe('compile cache', () => {
  let home = '';
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'orb-cache-'))));
  afterEach(() => rmSync(home, { recursive: true }));

  const forUser = (variables: Readonly<Record<string, string>> = {}, env: NodeJS.ProcessEnv = {}): Ended =>
    call(`cacheForUser(${JSON.stringify(variables)}, ${JSON.stringify(home)});`, env);

  const beside = (env?: NodeJS.ProcessEnv): Ended => call(`cacheCompiledModules(${JSON.stringify(home)});`, env);
  const standard = (): string => join(home, '.cache/orb');

  describe('beside a program', () => {
    it('is below node_modules, for child processes too', () => {
      const folder = join(home, 'node_modules/.cache/orb-compile');
      expect(beside()).to.deep.equal({ cache: folder, inherited: folder, err: '' });
    });

    it('is the folder that NODE_COMPILE_CACHE names', () => {
      const other = join(home, 'other');
      expect(beside({ NODE_COMPILE_CACHE: other })).to.deep.equal({ cache: other, inherited: other, err: '' });
      expect(existsSync(join(home, 'node_modules'))).to.equal(false);
    });
  });

  describe('of a user', () => {
    it('is ~/.cache/orb with mode 0700, and not for child processes', () => {
      expect(forUser()).to.deep.equal({ cache: standard(), inherited: '', err: '' });
      expect(statSync(standard()).mode & 0o777).to.equal(0o700);
      expect(forUser().cache).to.equal(standard());
    });

    it('is below XDG_CACHE_HOME', () => {
      const named = join(home, 'named');
      mkdirSync(named);
      expect(forUser({ XDG_CACHE_HOME: named }).cache).to.equal(join(named, 'orb'));
      expect(existsSync(standard())).to.equal(false);
    });

    it('ignores an XDG_CACHE_HOME that is relative or empty', () => {
      expect(forUser({ XDG_CACHE_HOME: 'cache' }).cache).to.equal(standard());
      expect(forUser({ XDG_CACHE_HOME: '' }).cache).to.equal(standard());
    });

    it('respects NODE_COMPILE_CACHE and NODE_DISABLE_COMPILE_CACHE', () => {
      const other = join(home, 'other');
      expect(forUser({}, { NODE_COMPILE_CACHE: other }).cache).to.equal(other);
      expect(forUser({}, { NODE_DISABLE_COMPILE_CACHE: '1' })).to.include({ cache: '', err: '' });
    });

    it('is not a folder that others may write to', () => {
      mkdirSync(standard(), { recursive: true });
      chmodSync(standard(), 0o777);
      expect(forUser()).to.include({ cache: '', err: '' });
    });

    it('is not a symbolic link', () => {
      mkdirSync(join(home, '.cache'));
      mkdirSync(join(home, 'elsewhere'));
      symlinkSync(join(home, 'elsewhere'), standard());
      expect(forUser()).to.include({ cache: '', err: '' });
    });

    it('is not made in the home folder of another user', () => {
      // Only root can give a folder away; for everyone else the root folder belongs to another user.
      const isRoot = process.getuid?.() === 0;
      if (isRoot) chownSync(home, 65_534, 65_534);
      else home = '/';
      const ended = forUser();
      expect(existsSync(standard())).to.equal(false);
      if (!isRoot) home = mkdtempSync(join(tmpdir(), 'orb-cache-'));
      expect(ended).to.include({ cache: '', err: '' });
    });

    it('is not made when there is no home folder, without a message', () => {
      const missing = join(home, 'missing');
      const ended = call(`cacheForUser({}, ${JSON.stringify(missing)}); cacheForUser({}, '');`);
      expect(ended).to.include({ cache: '', err: '' });
      expect(existsSync(missing)).to.equal(false);
    });

    it('is not made where a file is in the way, without a message', () => {
      symlinkSync('/dev/null', join(home, '.cache'));
      expect(forUser()).to.include({ cache: '', err: '' });
    });
  });
});
