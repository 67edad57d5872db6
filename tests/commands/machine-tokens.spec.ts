import assert from 'node:assert/strict'
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder, startBroker } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'

const folder = newFolder()
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const file = (name: string, content: string): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const pem = file('machine.pem', publicKey.export({ format: 'pem', type: 'spki' }) as string)
const secret = file('private.pem', privateKey.export({ format: 'pem', type: 'pkcs8' }) as string)

/** A client assertion, signed without a library. */
function assertion(keyId: string, aud: string): string {
  const iat = Math.floor(Date.now() / 1000)
  const claims = { iss: keyId, sub: keyId, aud, iat, exp: iat + 300, jti: randomUUID() }
  const text = [{ alg: 'ES256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

async function requestToken(url: string, client_assertion: string) {
  const response = await fetch(`${url}/v1/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion,
    }),
  })
  return (await response.json()) as { readonly access_token: string; readonly error?: string }
}

const statusOf = async (url: string, path: string, token: string) =>
  (await fetch(url + path, { headers: { Authorization: `Bearer ${token}` } })).status

test('a token for a signed assertion works until its key is deleted, also after kill -9', async (t) => {
  const flags = ['--data', folder]
  const first = await startBroker(flags)
  t.after(first.kill)
  const at = ['--data', folder, '--json', '--url', first.url]
  const made = await command(['key', 'create', '--kind', 'partner', '--public-key', pem, ...at])
  assert.equal(made.code, 0, made.stderr)
  const key = JSON.parse(made.stdout)
  assert.deepEqual([key.kind, key.public_key.kty, 'secret_key' in key], ['partner', 'EC', false])

  const used = assertion(key.key_id, `${first.url}/v1/oauth2/token`)
  const { access_token: token } = await requestToken(first.url, used)
  const { accountId } = first
  const paths = ['/v1/accounts', `/v1/accounts/${accountId}`, '/v2/stocks/AAPL/trades/latest']
  for (const path of paths) assert.equal(await statusOf(first.url, path, token), 200, path)
  await first.kill()

  const again = await startBroker([...flags, '--port', new URL(first.url).port])
  t.after(again.stop)
  assert.equal((await requestToken(again.url, used)).error, 'jti_known')
  assert.equal(await statusOf(again.url, '/v1/accounts', token), 200)
  const byName = again.url.replace('127.0.0.1', 'localhost')
  const local = await requestToken(byName, assertion(key.key_id, `${byName}/v1/oauth2/token`))
  assert.equal(await statusOf(again.url, '/v1/accounts', local.access_token), 200)
  const deleted = await command(['key', 'delete', key.key_id, '--data', folder, '--url', again.url])
  assert.equal(deleted.code, 0, deleted.stderr)
  for (const one of [token, local.access_token])
    assert.equal(await statusOf(again.url, '/v1/accounts', one), 401)
})

for (const [name, path, expected] of [
  ['a private key', secret, /received a private one/],
  ['no key', file('words.txt', 'words'), /expected a public key as PEM or JSON Web Key/],
  ['a missing file', '/nowhere.pem', /--public-key \/nowhere.pem: ENOENT/],
] as const)
  test(`quipu key create --public-key with ${name}: exit code 2`, async () => {
    const line = ['key', 'create', '--kind', 'partner', '--public-key', path, '--url', 'http://127.0.0.1:1']
    const done = await command([...line, '--data', folder])
    assert.equal(done.code, 2)
    assert.match(done.stderr, expected)
  })
