import { describe, expect, it } from 'vitest';
import { findServer, common, type Places } from '../../src/binary';
import { Refusal } from '../../src/refusal';

const places: Places = { setting: '', extension: '/ext', path: '/usr/bin:/opt/bin', platform: 'linux', home: '/home/me' };
const only =
  (...files: string[]) =>
  (file: string) =>
    files.includes(file);

describe('findServer', () => {
  it('prefers the setting, then the extension, then PATH', () => {
    const everywhere = only('/mine/handrail', '/ext/bin/handrail', '/opt/bin/handrail');
    expect(findServer({ ...places, setting: '/mine/handrail' }, everywhere)).toBe('/mine/handrail');
    expect(findServer(places, everywhere)).toBe('/ext/bin/handrail');
    expect(findServer(places, only('/opt/bin/handrail'))).toBe('/opt/bin/handrail');
  });

  it('looks last where installers put it', () => {
    expect(findServer(places, only('/home/me/.local/bin/handrail'))).toBe('/home/me/.local/bin/handrail');
  });

  it('reads ~ in the setting', () => {
    expect(findServer({ ...places, setting: '~/bin/handrail' }, only('/home/me/bin/handrail'))).toBe('/home/me/bin/handrail');
  });

  it('does not go past a setting that leads nowhere', () => {
    expect(() => findServer({ ...places, setting: '/gone' }, only('/ext/bin/handrail'))).toThrow(new Refusal('/gone', 'no-program'));
  });

  it('says what it looked for', () => {
    expect(() => findServer(places, only())).toThrow(new Refusal('handrail', 'no-program'));
  });

  it('adds .exe on Windows', () => {
    const file = findServer({ ...places, platform: 'win32', path: 'C:\\a;C:\\b' }, (f) => f.startsWith('C:\\b'));
    expect(file).toMatch(/handrail\.exe$/);
  });
});

describe('the arguments for an agent', () => {
  it('speak the language of the window', () => {
    expect(common(undefined, 'ko')).toEqual(['--lang', 'ko']);
    expect(common(undefined, 'ko-KR')).toEqual(['--lang', 'ko']);
    expect(common(undefined, 'kok')).toEqual(['--lang', 'en']);
    expect(common(undefined, 'pt-br')).toEqual(['--lang', 'en']);
  });

  it('name a brain that the program would not find', () => {
    expect(common('/notes/my brain', 'en')).toEqual(['--lang', 'en', '--brain', '/notes/my brain']);
  });
});
