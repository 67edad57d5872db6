import assert from 'node:assert/strict'
import { test } from 'node:test'
import { opener } from './open.ts'

const rows: readonly (readonly [NodeJS.Platform, Record<string, string>, readonly string[] | undefined])[] = [
  // `start` of cmd would read the & of a link as the end of its command.
  ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler']],
  ['darwin', {}, ['open']],
  ['linux', { DISPLAY: ':0' }, ['xdg-open']],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open']],
  ['linux', {}, undefined],
  ['win32', { BROWSER: 'firefox' }, ['firefox']],
]

for (const [platform, env, program] of rows)
  test(`${platform} with ${JSON.stringify(env)} opens links with ${program}`, () => {
    assert.deepEqual(opener(env, platform), program)
  })
