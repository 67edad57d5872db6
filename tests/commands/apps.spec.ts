import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@quipu/sdk'
import { call, callAsOperator, newWorld } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { broker, folder } from './folder-broker.ts'

const REDIRECT = 'http://localhost:3000/callback'
const run = (...words: string[]) => command([...words, '--data', folder])

/** Runs a command and returns its JSON output. */
async function runJson(...words: string[]) {
  const done = await run(...words, '--json')
  assert.equal(done.code, 0, done.stderr)
  return JSON.parse(done.stdout)
}

/** Requests a token for the paper account of the folder with the key of its first partner. */
async function requestToken(app: { readonly client_id: string; readonly client_secret: string }) {
  const { accountId, brokerKey, brokerSecret } = broker
  const partner = { url: broker.url, keyId: brokerKey, secretKey: brokerSecret }
  const { client_id, client_secret } = app
  const body = { client_id, client_secret, redirect_uri: REDIRECT, scope: '', account_id: accountId }
  return call(partner, 'POST', '/v1/oauth/token', body)
}

test('quipu app: create registers an app that can get a token, and every verb works', async () => {
  const app = await runJson('app', 'create', 'My app', '--redirect', REDIRECT)
  const id: string = app.client_id
  const { status, body } = await requestToken(app)
  assert.equal(status, 200, JSON.stringify(body))
  const holder = createClient({ url: broker.url, accessToken: body.access_token })
  assert.equal((await holder.getAccount()).id, broker.accountId)

  const listed = await run('app', 'list')
  assert.match(listed.stdout, new RegExp(`^${id}  My app +ACTIVE  confidential  [-\\d]+ [:\\d]+$`, 'm'))
  const changes = ['--name', 'Ours', '--token-lifetime', '3600', '--pkce', 'yes', '--scopes', 'trading,data']
  const changed = await runJson('app', 'update', id, ...changes, '--website', 'https://app.example')
  assert.deepEqual(
    [changed.name, changed.token_expires_in, changed.pkce_required, changed.scopes, changed.url],
    ['Ours', 3600, true, ['trading', 'data'], 'https://app.example'],
  )
  assert.equal((await runJson('app', 'update', id, '--token-lifetime', 'none')).token_expires_in, null)
  assert.equal((await runJson('app', 'update', id, '--approve-live', 'yes')).live_trading_approved, true)

  assert.equal((await runJson('app', 'disable', id)).status, 'DISABLED')
  assert.equal((await requestToken(app)).status, 401)
  await assert.rejects(holder.getAccount(), { status: 401 })
  assert.equal((await runJson('app', 'enable', id)).status, 'ACTIVE')
  assert.equal((await holder.getAccount()).id, broker.accountId)

  const rotated = await runJson('app', 'rotate-secret', id, '--others-expire-in', '0')
  assert.equal((await requestToken(app)).status, 401)
  assert.equal((await requestToken({ ...app, ...rotated })).status, 200)
  const shown = await runJson('app', 'show', id)
  assert.deepEqual(
    shown.secrets.map((one: { secret_id: string }) => one.secret_id),
    [rotated.secret_id],
  )
  assert.ok(!JSON.stringify(shown).includes(rotated.client_secret))
  await runJson('app', 'delete-secret', id, rotated.secret_id)
  assert.equal((await requestToken({ ...app, ...rotated })).status, 401)

  assert.deepEqual(await runJson('app', 'delete', id), { client_id: id, deleted: true })
  await assert.rejects(holder.getAccount(), { status: 401 })
  const deleted = await run('app', 'show', id)
  assert.deepEqual(
    [deleted.code, deleted.stderr],
    [4, 'quipu app show: no app has this client id: `quipu app list` lists them\n'],
  )
})

test('quipu app create: a public native app has no secret', async () => {
  const flags = ['--public', 'yes', '--native', 'yes', '--developer', broker.userName ?? '']
  const app = await runJson(
    'app',
    'create',
    'Desk',
    '--redirect',
    `${REDIRECT} com.example.desk:/back`,
    ...flags,
  )
  assert.equal('client_secret' in app, false)
  assert.deepEqual([app.public, app.native, app.pkce_required], [true, true, true])
  assert.deepEqual(app.redirect_uri, [REDIRECT, 'com.example.desk:/back'])
  assert.match(app.developer, /^[0-9a-f-]{36}$/)
  assert.equal((await runJson('app', 'update', app.client_id, '--developer', 'none')).developer, null)
})

test('quipu app create --world registers an app in another world', async () => {
  const { world: name } = await newWorld(broker)
  const app = await runJson('app', 'create', 'Other world', '--redirect', REDIRECT, '--world', name)
  const ids = async (...words: string[]) =>
    (await runJson('app', 'list', ...words)).map((one: { client_id: string }) => one.client_id)
  assert.ok((await ids('--world', name)).includes(app.client_id))
  assert.ok(!(await ids()).includes(app.client_id))
  await callAsOperator(broker, 'DELETE', `/sim/v1/worlds/${name}`)
})

for (const [line, code, expected] of [
  ['app create', 2, /NAME/],
  ['app create x', 4, /--redirect: expected at least one/],
  ['app create x --redirect http://app.example/', 4, /--redirect: expected https/],
  [`app create x --redirect ${REDIRECT} --scopes everything`, 4, /--scopes: expected one of/],
  [`app create x --redirect ${REDIRECT} --public maybe`, 2, /--public: expected yes or no, received "maybe"/],
  [
    `app create x --redirect ${REDIRECT} --token-lifetime 1h`,
    2,
    /--token-lifetime: expected seconds or none/,
  ],
  [`app create x --redirect ${REDIRECT} --token-lifetime 5`, 4, /--token-lifetime/],
  ['app show 7a3c52a910e1dc2abbb14da2b6b8e711', 4, /no app has this client id/],
  ['app sow', 2, /did you mean show\?/],
  ['app', 2, /expected one of list, show, create, update, disable, enable, delete, rotate-secret/],
] as const)
  test(`quipu ${line}: ${code}`, async () => {
    const done = await run(...line.split(' '))
    assert.equal(done.code, code, done.stderr)
    assert.match(done.stderr, expected)
  })
