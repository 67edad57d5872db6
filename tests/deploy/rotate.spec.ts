import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { call, newFolder, plainEnvironment, startBroker } from '../broker.ts'
import { pathWithQuipu } from '../quipu-on-path.ts'
import { blockOf } from './page.ts'

test('the guide replaces the operator key and the key of an account, and the last operator key stays', async (t) => {
  const data = newFolder()
  const broker = await startBroker(['--data', data])
  t.after(broker.kill)
  const { url, brokerKey, brokerSecret, keyId, secretKey, accountId } = broker
  const PATH = pathWithQuipu
  const env = plainEnvironment({ PATH, QUIPU_DATA: data, ACCOUNT: accountId, OLD_ACCOUNT_KEY: keyId })
  const run = (script: string) =>
    execFileSync('sh', ['-euc', script], { cwd: newFolder(), env, encoding: 'utf8', stdio: 'pipe' })
  const statusOf = async (key: { keyId: string; secretKey: string }, path: string) =>
    (await call({ url, ...key }, 'GET', path)).status

  assert.throws(() => run(`quipu key delete ${brokerKey}`), /the last operator key cannot be deleted/)
  const account = blockOf('rotate.md', 'sh', '--account')
  const { key_id, secret_key } = JSON.parse(
    run(`${account}\ncat new-key.json`).split('\n').findLast(Boolean)!,
  )
  assert.equal(await statusOf({ keyId, secretKey }, '/v2/account'), 401)
  assert.equal(await statusOf({ keyId: key_id, secretKey: secret_key }, '/v2/account'), 200)

  const listed = run(blockOf('rotate.md', 'sh', '--kind operator'))
  assert.doesNotMatch(listed.split('is deleted')[1]!, new RegExp(brokerKey))
  assert.equal(await statusOf({ keyId: brokerKey, secretKey: brokerSecret }, '/sim/v1/worlds'), 401)
})
