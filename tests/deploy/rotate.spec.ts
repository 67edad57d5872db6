import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { call, newFolder, plainEnvironment, startBroker } from '../broker.ts'
import { pathWithQuipu } from '../quipu-on-path.ts'
import { openIssuerServer } from '../tokenization/issuer-server.ts'
import { blockOf } from './page.ts'

/** A shell that follows the guide on the machine of a server with this data folder. */
function shellFor(data: string, more: Readonly<Record<string, string>>) {
  const env = plainEnvironment({ PATH: pathWithQuipu, QUIPU_DATA: data, ...more })
  return async (script: string): Promise<string> =>
    (await promisify(execFile)('sh', ['-euc', script], { cwd: newFolder(), env })).stdout
}

/** The JSON that the last command wrote. */
const lastJson = (output: string) => JSON.parse(output.split('\n').findLast(Boolean)!)

test('the guide replaces the secret of an app: both work, then only the new one', async (t) => {
  const data = newFolder()
  const broker = await startBroker(['--data', data])
  t.after(broker.kill)
  const { url, oauthClientId: id, oauthClientSecret: old } = broker
  const run = shellFor(data, { CLIENT_ID: id })
  const [show, rotate, remove] = blockOf('rotate.md', 'sh', 'rotate-secret').trim().split('\n')
  const statusOf = async (secret: string) => {
    const Authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
    const body = new URLSearchParams({ token: 'none' })
    return (await fetch(`${url}/oauth/introspect`, { method: 'POST', headers: { Authorization }, body }))
      .status
  }
  const oldId = (await run(`${show}\necho "$OLD_SECRET"`)).trim()
  const { client_secret: secret } = lastJson(await run(`${rotate}\ncat new-secret.json`))
  assert.deepEqual([await statusOf(old), await statusOf(secret)], [200, 200])
  await run(`OLD_SECRET=${oldId}\n${remove}`)
  assert.deepEqual([await statusOf(old), await statusOf(secret)], [401, 200])
})

test('the guide replaces the credential and the API key of an issuer', async (t) => {
  const data = newFolder()
  const [broker, issuer] = await Promise.all([startBroker(['--data', data]), openIssuerServer()])
  t.after(broker.kill)
  t.after(() => issuer.close())
  const { mint_url, confirm_url, tokens_url } = issuer.urls
  const addresses = {
    ISSUER: 'acme',
    MINT_URL: mint_url!,
    CONFIRM_URL: confirm_url!,
    TOKENS_URL: tokens_url!,
  }
  const script = `${blockOf('rotate.md', 'sh', 'issuer create')}\ncat new-credential.json`
  const rotate = async (NEW_API_KEY: string) =>
    lastJson(await shellFor(data, { ...addresses, NEW_API_KEY })(script))
  const [first, second] = [await rotate('first-api-key'), await rotate('second-api-key')]
  assert.equal(second.account_id, first.account_id)
  for (const { key_id: keyId, secret_key: secretKey } of [first, second]) {
    const path = `/v1/accounts/${first.account_id}/tokenization/requests`
    assert.equal((await call({ url: broker.url, keyId, secretKey }, 'GET', path)).status, 200)
  }
  const sent = issuer.calls.map(({ headers }) => headers['x-api-key'])
  assert.deepEqual(sent, ['first-api-key', 'second-api-key'])
})

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
