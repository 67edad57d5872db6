import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { call, callAsOperator, newFolder, plainEnvironment, startBroker } from '../support/broker.ts'
import { pathWithQuipu } from '../support/quipu-process.ts'
import { openIssuerServer } from '../tokenization/issuer-server.ts'
import { backupCommands, block, blockOf } from './page.ts'

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

test('the guide replaces the key of an account, and the last operator key stays', async (t) => {
  const data = newFolder()
  const broker = await startBroker(['--data', data])
  t.after(broker.kill)
  const { url, brokerKey, keyId, secretKey, accountId } = broker
  const run = shellFor(data, { ACCOUNT: accountId, OLD_ACCOUNT_KEY: keyId })
  const statusOf = async (key: { keyId: string; secretKey: string }) =>
    (await call({ url, ...key }, 'GET', '/v2/account')).status

  await assert.rejects(run(`quipu key delete ${brokerKey}`), /the last operator key cannot be deleted/)
  const output = await run(`${blockOf('rotate.md', 'sh', '--account')}\nls -l new-key.json\ncat new-key.json`)
  assert.match(output, /^-rw------- /m, 'only its owner reads the new secret')
  const { key_id, secret_key } = lastJson(output)
  assert.equal(await statusOf({ keyId, secretKey }), 401)
  assert.equal(await statusOf({ keyId: key_id, secretKey: secret_key }), 200)
})

/** Runs the backup of the timer, which has neither the variables of the shell nor those of the service. */
const backUp = (data: string) => shellFor(data, {})(backupCommands(join(newFolder(), 'backups')).join('\n'))

/** The operator key that commands on this machine use. */
const notedKey = (data: string) => JSON.parse(readFileSync(join(data, 'credentials.json'), 'utf8')).brokerKey

test('the guide replaces the operator key of a unit: then the backup of the timer works', async (t) => {
  const [data, etc] = [newFolder(), newFolder()]
  const secrets = block('ini', 'LoadCredential').replace(/^.*STORE_FILE.*$/m, '')
  writeFileSync(join(etc, 'secrets.conf'), secrets)
  writeFileSync(join(etc, 'broker-secret'), `${'first-secret'.repeat(4)}\n`)
  writeFileSync(join(etc, 'secret-key'), `${'secret-key'.repeat(4)}\n`)
  const start = () => {
    const settings = readFileSync(join(etc, 'secrets.conf'), 'utf8').matchAll(/(QUIPU_\w+)=(\S+)/g)
    const env = [...settings].map(([, name, value]) => [name!, value!.replace('%d', etc)])
    return startBroker(['--data', data], Object.fromEntries(env))
  }
  const here = (script: string) =>
    script
      .replaceAll('/etc/systemd/system/quipu.service.d', etc)
      .replaceAll('/etc/quipu', etc)
      .replaceAll('/var/lib/quipu', data)
  const guide = (words: string) => here(blockOf('rotate.md', 'sh', words))
  const first = await start()
  t.after(first.kill)
  const { brokerKey, brokerSecret } = first
  const bin = newFolder()
  writeFileSync(join(bin, 'systemctl'), '#!/bin/sh\n', { mode: 0o755 })
  const run = shellFor(data, { PATH: `${bin}:${pathWithQuipu}` })
  const created = `${guide('--kind operator')}\n${guide('systemctl restart')}`
  const added = await run(
    `${created}\nls -l new-key.json\necho "$OLD_KEY $QUIPU_BROKER_KEY $QUIPU_BROKER_SECRET"`,
  )
  assert.match(added, /^-rw------- /m)
  const [OLD_KEY, QUIPU_BROKER_KEY, QUIPU_BROKER_SECRET] = added.trim().split('\n').at(-1)!.split(' ')
  assert.equal(OLD_KEY, brokerKey)
  assert.equal(await first.stop(), 0)

  const second = await start()
  t.after(second.kill)
  assert.equal(notedKey(data), QUIPU_BROKER_KEY)
  const env = { OLD_KEY, QUIPU_BROKER_KEY, QUIPU_BROKER_SECRET } as Record<string, string>
  const listed = await shellFor(data, env)(guide('key delete "$OLD_KEY"'))
  assert.doesNotMatch(listed.split('is deleted')[1]!, new RegExp(brokerKey))
  const old = { url: second.url, keyId: brokerKey, secretKey: brokerSecret }
  assert.equal((await call(old, 'GET', '/sim/v1/worlds')).status, 401)
  await backUp(data)
})

test('a deleted operator key is not kept for the commands of this machine', async (t) => {
  const data = newFolder()
  const broker = await startBroker(['--data', data])
  t.after(broker.kill)
  const newKey = async () => {
    const { body } = await callAsOperator(broker, 'POST', '/sim/v1/worlds/main/keys', { kind: 'operator' })
    return { QUIPU_BROKER_KEY: body.key_id as string, QUIPU_BROKER_SECRET: body.secret_key as string }
  }
  const [second, third] = [await newKey(), await newKey()]
  await shellFor(data, second)(`quipu key delete ${broker.brokerKey}`)
  assert.equal(notedKey(data), second.QUIPU_BROKER_KEY)
  await backUp(data)
  await shellFor(data, {})(`quipu key delete ${second.QUIPU_BROKER_KEY}`)
  assert.equal(notedKey(data), undefined)
  await assert.rejects(backUp(data), /no operator credential: set QUIPU_BROKER_KEY/)
  assert.match(await shellFor(data, third)('quipu key list'), new RegExp(third.QUIPU_BROKER_KEY))
})
