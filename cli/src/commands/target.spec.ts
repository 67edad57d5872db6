import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readConfig } from '@quipu/server/config/config.ts'
import { targetOf } from './target.ts'

const folder = mkdtempSync(join(tmpdir(), 'quipu-target-'))
writeFileSync(join(folder, 'credentials.json'), '{"brokerKey":"CKFOLDER","brokerSecret":"secret"}')
after(() => rmSync(folder, { recursive: true, force: true }))

const url = 'http://u'
const key = { QUIPU_BROKER_KEY: 'CKSHELL', QUIPU_BROKER_SECRET: 'shell-secret' }

// The flags, the variables and quipu.json; the URL that is used, and the operator key of the settings.
const rows: readonly (readonly [
  object,
  Record<string, string>,
  object,
  string | undefined,
  string | undefined,
])[] = [
  [{ url }, {}, {}, url, undefined],
  [{ data: folder }, {}, {}, undefined, undefined],
  [{ url, data: folder }, {}, {}, url, undefined],
  [{ data: folder }, { QUIPU_URL: url, ...key }, {}, undefined, undefined],
  [{ url }, { QUIPU_DATA: folder, ...key }, {}, url, 'CKSHELL'],
  [{}, { QUIPU_URL: url, QUIPU_DATA: folder, ...key }, {}, url, 'CKSHELL'],
  [{}, { QUIPU_DATA: folder, ...key }, { url }, undefined, 'CKSHELL'],
  [{}, {}, { url, data: folder }, url, undefined],
]
for (const [flags, env, file, expected, brokerKey] of rows)
  test(`${JSON.stringify({ flags, env, file })} means ${expected ?? 'the folder'}`, () => {
    const input = {
      flags: new Map(Object.entries(flags)),
      env,
      file: JSON.stringify(file),
      readText: () => '',
    }
    const { config, sources } = readConfig(input)
    const target = targetOf({ config, sources, env: { XDG_STATE_HOME: folder } })
    assert.deepEqual([target.url, target.brokerKey], [expected, brokerKey])
  })
