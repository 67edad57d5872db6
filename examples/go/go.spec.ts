import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { newFolder, plainEnvironment } from '../../tests/support/broker.ts'
import { program } from '../../tests/support/program.ts'
import { broker } from '../../tests/support/shared-broker.ts'

const run = promisify(execFile)
// Debian's Go needs 470 MB, so the tests do not install it.
const skip = spawnSync('go', ['version']).status === 0 ? false : 'no Go on this machine'

/** Runs a program of this folder with the standard library only. */
async function go(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const file = join(import.meta.dirname, name, 'main.go')
  const offline = { GOFLAGS: '-mod=mod', GOPROXY: 'off', GOCACHE: newFolder() }
  const { stdout } = await run('go', ['run', file, ...args], {
    env: plainEnvironment({ ...env, ...offline }),
  })
  return stdout
}

test('a first order in Go is filled', { skip }, async () => {
  const printed = await go('first-order', [], {
    APCA_API_BASE_URL: broker.url,
    APCA_API_KEY_ID: broker.keyId,
    APCA_API_SECRET_KEY: broker.secretKey,
  })
  assert.match(printed, /^bought 2 AAPL at [\d.]+\n$/)
})

test('a program in Go starts a broker and ends it', { skip }, async () => {
  const printed = await go('start-broker', [process.execPath, program], {})
  assert.equal(printed, 'world-1 has 1 account\nthe broker ended with exit code 0\n')
})
